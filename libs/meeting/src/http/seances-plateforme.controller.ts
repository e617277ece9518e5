import { POINT, SEANCE } from '../domain/meeting.errors';
import { Controller, Get, Headers, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { Body } from '#platform/input/request-parts.decorator';
import { PointsService } from '../application/points.service';
import { SeancesService } from '../application/seances.service';
import { PointDetailItem, PointInput, ResultatInput, ResultatPointItem } from './points.dto';
import { PointId, pointPart, SeanceId, seancePart } from './seances.controller';
import { ParticipationItem, PresencesInput, SeanceInput, SeanceItem } from './seances.dto';

const PATH = '/plateforme/v1/seances';

@ApiTags('Meetings')
@Requires({ role: 'plateforme', module: 'voteEnSeance' })
@Controller('plateforme/v1/seances')
export class SeancesPlateformeController {
  constructor(
    private readonly seances: SeancesService,
    private readonly points: PointsService,
  ) {}

  @Post()
  @Answers({
    summary: 'Create a meeting',
    description: 'Its agenda is empty; add its points one by one. The participation contains the quorum.',
    status: 201,
    type: SeanceItem,
    location: true,
    etag: true,
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: SeanceInput,
  ): Promise<Located> {
    const { id, item } = await this.seances.create(tenantId, actor, body);
    return new Located(`${PATH}/${id}`, item);
  }

  @Get(':seanceId')
  @Answers({
    summary: 'Read a meeting',
    description: 'With its agenda.',
    path: { seanceId: seancePart },
    type: SeanceItem,
    etag: true,
    errors: [SEANCE.NotFound],
  })
  get(@Tenant() tenantId: string, @SeanceId() id: string): Promise<Json> {
    return this.seances.get(tenantId, id);
  }

  @Put(':seanceId/presences')
  @Answers({
    summary: 'Record who is present',
    description: 'Replaces all recorded numbers. Returns the participation; `If-Match` takes its `ETag`.',
    path: { seanceId: seancePart },
    type: ParticipationItem,
    etag: true,
    ifMatch: true,
    errors: [SEANCE.NotFound],
  })
  recordPresences(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @SeanceId() id: string,
    @Body() body: PresencesInput,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.seances.recordPresences(tenantId, actor, id, body, ifMatch);
  }

  @Post(':seanceId/points')
  @Answers({
    summary: 'Add a point to the agenda',
    description: '`Location` names the meeting.',
    path: { seanceId: seancePart },
    status: 201,
    type: PointDetailItem,
    location: true,
    errors: [SEANCE.NotFound, POINT.OrdreDejaUtilise],
  })
  async addPoint(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @SeanceId() id: string,
    @Body() body: PointInput,
  ): Promise<Located> {
    const item = await this.points.create(tenantId, actor, id, body);
    return new Located(`${PATH}/${id}`, item);
  }

  @Put(':seanceId/points/:pointId/resultats')
  @Answers({
    summary: 'Record the result of a point',
    description: [
      'Replaces the whole result. `adopte` is computed from the majority that the point needs, by weight and in exact arithmetic. A proposal without votes for it is never adopted.',
      'Weights default to the counts. A weight must be 0 if and only if its count is 0. The number present does not limit weights, because a person may vote for several others or leave before the count.',
    ].join('\n\n'),
    path: { seanceId: seancePart, pointId: pointPart },
    type: ResultatPointItem,
    etag: true,
    ifMatch: true,
    errors: [SEANCE.NotFound, POINT.NotFound, POINT.NonVotable],
  })
  recordResultat(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @SeanceId() id: string,
    @PointId() pointId: string,
    @Body() body: ResultatInput,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.points.recordResultat(tenantId, actor, id, pointId, body, ifMatch);
  }
}
