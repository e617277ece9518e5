import { CAMPAGNE } from '../../domain/voting.errors';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { Query } from '#platform/input/request-parts.decorator';
import { Streamed } from '#platform/http/streamed';
import { StatisticsService } from '../application/statistics.service';
import { CampagneId, campagnePart } from '../../http/path-parts';
import { EXAMPLE_STATISTIQUES, StatistiquesItem, StatistiquesQuery, StatistiquesRow } from './statistics.dto';

@ApiTags('Campaigns')
@Requires({ role: 'partenaire', module: 'vote' })
@Controller('b2b/v1/campagnes/:id')
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @Get('stats')
  @Answers({
    summary: 'Read the statistics of a campaign',
    description: [
      'Participation at this moment, and the results once the vote has ended. Both filters apply to every count; votes count for the union and employer that the voter had when voting.',
      'Results of few ballots are hidden if they could identify voters: the client’s `seuilAnonymat`.',
      'CSV has a row for each option with the values of its question and of the campaign, and one row for a question whose options are not visible. `Departages`, `Methode` and `Tours` are in JSON only.',
    ].join('\n\n'),
    path: { id: campagnePart() },
    type: StatistiquesItem,
    example: EXAMPLE_STATISTIQUES,
    csv: { file: 'statistiques', row: StatistiquesRow },
    errors: [CAMPAGNE.NotFound],
  })
  read(@Tenant() tenantId: string, @CampagneId() id: string, @Query() query: StatistiquesQuery): Streamed {
    const rows = () => this.statistics.rows(tenantId, id, query);
    return new Streamed(() => this.statistics.of(tenantId, id, query), undefined, 0, rows);
  }
}
