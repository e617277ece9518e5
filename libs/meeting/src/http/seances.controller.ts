import { POINT, RESULTAT, SEANCE } from '../domain/meeting.errors';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { Query } from '#platform/input/request-parts.decorator';
import { PointsService } from '../application/points.service';
import { SeancesService } from '../application/seances.service';
import { EXAMPLE_IDS } from './examples';
import { ResultatPointItem } from './points.dto';
import { ParticipationItem, SeanceItem, SeanceList } from './seances.dto';

/** Path parameter of a meeting. */
export const seancePart = guidPart('meeting', EXAMPLE_IDS.seance);

/** Path parameter of a point of its agenda. */
export const pointPart = guidPart('point', EXAMPLE_IDS.point);

/** Decorates a handler's parameter with the meeting of the path. */
export const SeanceId = () => Param('seanceId', new GuidPart(SEANCE.NotFound));

/** Decorates a handler's parameter with the point of the path. */
export const PointId = () => Param('pointId', new GuidPart(POINT.NotFound));

@ApiTags('Meetings')
@Requires({ role: 'partenaire', module: 'voteEnSeance' })
@Controller('b2b/v2/seance')
export class SeancesController {
  constructor(
    private readonly seances: SeancesService,
    private readonly points: PointsService,
  ) {}

  @Get()
  @Answers({
    summary: 'List the meetings',
    description: 'With their agendas, in the order of their creation. Filters combine with AND.',
    type: [SeanceItem],
    paged: true,
  })
  list(@Tenant() tenantId: string, @Query() query: SeanceList): Listing {
    return listOf(query, (after, limit) => this.seances.page(tenantId, query, after, limit));
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

  @Get(':seanceId/points/:pointId/resultats')
  @Answers({
    summary: 'Read the result of a point',
    description: [
      'Totals only, also for a vote by name. Counts, weights and `adopte` are null until a result is recorded.',
      'A point that is not votable returns 404 `Resultat.NotFound`.',
    ].join('\n\n'),
    path: { seanceId: seancePart, pointId: pointPart },
    type: ResultatPointItem,
    etag: true,
    errors: [SEANCE.NotFound, POINT.NotFound, RESULTAT.NotFound],
  })
  resultat(@Tenant() tenantId: string, @SeanceId() id: string, @PointId() pointId: string): Promise<Json> {
    return this.points.resultat(tenantId, id, pointId);
  }

  @Get(':seanceId/resultats')
  @Answers({
    summary: 'List the results of a meeting',
    description:
      'Results of all votable points, in the order of the agenda. Counts, weights and `adopte` are null until a result is recorded.',
    path: { seanceId: seancePart },
    type: [ResultatPointItem],
    paged: true,
    errors: [SEANCE.NotFound],
  })
  resultats(@Tenant() tenantId: string, @SeanceId() id: string, @Query() query: PagingQuery): Listing {
    return listOf(query, (after, limit) => this.points.resultats(tenantId, id, after, limit));
  }

  @Get(':seanceId/participation')
  @Answers({
    summary: 'Read the participation in a meeting',
    description: 'Numbers are 0 until presences are recorded.',
    path: { seanceId: seancePart },
    type: ParticipationItem,
    etag: true,
    errors: [SEANCE.NotFound],
  })
  participation(@Tenant() tenantId: string, @SeanceId() id: string): Promise<Json> {
    return this.seances.participation(tenantId, id);
  }
}
