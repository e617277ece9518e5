import { CAMPAGNE, VOTANT } from '../../domain/voting.errors';
import { Controller, Get, Post, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import { Compares } from '#platform/http/comparison.interceptor';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { ListesElectoralesService } from '../application/listes-electorales.service';
import { CampagneId, campagnePart } from '../../http/path-parts';
import {
  ListeElectoraleFaiteItem,
  ListeElectoraleInput,
  ListeElectoraleItem,
  ListeElectoraleQuery,
  ListeElectoraleSimuleeItem,
} from './listes-electorales.dto';

@ApiTags('Voters')
@Requires({ role: 'partenaire', module: 'vote' })
@Controller('b2b/v1/campagnes/:id/liste-electorale')
export class ListesElectoralesController {
  constructor(private readonly listes: ListesElectoralesService) {}

  @Get()
  @Answers({
    summary: 'List the electoral lists of a campaign',
    description: 'What was made, and by which criteria.',
    path: { id: campagnePart() },
    type: [ListeElectoraleFaiteItem],
    paged: true,
    errors: [CAMPAGNE.NotFound],
  })
  list(@Tenant() tenantId: string, @CampagneId() campagneId: string, @Query() query: PagingQuery): Listing {
    return listOf(query, this.listes.list(tenantId, campagneId));
  }

  @Post()
  @Compares()
  @ApiResponse({
    status: 200,
    description: 'The result that the list would have, with `simulation=true`. Nothing was written.',
    type: ListeElectoraleSimuleeItem,
  })
  @Answers({
    summary: 'Make an electoral list',
    description:
      'Makes voters of the employees that meet all criteria; those that are voters already stay as they are. A voter gets the union of the membership and the employer of the employment that meet the criteria: of several, the oldest membership and the most recent employment. At least one list must name something. `simulation=true` counts all employees by reasons, and writes nothing.',
    path: { id: campagnePart() },
    bodyExample: { SyndicatsIdExternes: ['SYN-10'], EmployeursIdentifiantsExternes: ['EMP-100'], Poids: 1 },
    status: 201,
    type: ListeElectoraleItem,
    location: true,
    errors: [
      CAMPAGNE.NotFound,
      CAMPAGNE.ModificationNonPermise,
      CAMPAGNE.TropVolumineuse,
      VOTANT.PoidsIdentifiants,
    ],
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @Query() { simulation }: ListeElectoraleQuery,
    @Body() body: ListeElectoraleInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Located<ListeElectoraleItem> | ListeElectoraleSimuleeItem> {
    if (simulation) {
      response.status(200);
      return this.listes.simulate(tenantId, campagneId, body);
    }
    const made = await this.listes.create(tenantId, actor, campagneId, body);
    return new Located(`/b2b/v1/campagnes/${campagneId}/liste-electorale`, made);
  }
}
