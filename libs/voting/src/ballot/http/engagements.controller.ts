import { CAMPAGNE, DOSSIER } from '../../domain/voting.errors';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { Query } from '#platform/input/request-parts.decorator';
import { EngagementsService } from '../application/engagements.service';
import { CoherenceItem, CoherenceQuery, EngagementItem } from './engagements.dto';
import { EXAMPLE_IDS } from '../../http/examples';
import { CampagneId, campagnePart } from '../../http/path-parts';

@ApiTags('Campaigns')
@Requires({ role: 'partenaire', module: 'vote' })
@Controller('b2b/v1/campagnes/:id/engagements')
export class EngagementsController {
  constructor(private readonly engagements: EngagementsService) {}

  @Get()
  @Answers({
    summary: 'List the checkpoints of the receipts',
    description:
      'The log of receipts grows while the vote is open. The service signs its size and root at most once a minute and at the close, the smallest first. Keep them: a receipt that is removed or changed later contradicts them.',
    path: { id: campagnePart(EXAMPLE_IDS.ouverte) },
    type: [EngagementItem],
    paged: true,
    errors: [CAMPAGNE.NotFound],
  })
  list(@Tenant() tenantId: string, @CampagneId() id: string, @Query() query: PagingQuery): Listing {
    return listOf(query, this.engagements.list(tenantId, id));
  }

  @Get('coherence')
  @Answers({
    summary: 'Prove that the log of receipts only grew',
    description:
      'A consistency proof of two sizes up to that of the newest checkpoint (RFC 6962, section 2.1.2).',
    path: { id: campagnePart(EXAMPLE_IDS.ouverte) },
    type: CoherenceItem,
    errors: [CAMPAGNE.NotFound, DOSSIER.NonPret],
  })
  coherence(
    @Tenant() tenantId: string,
    @CampagneId() id: string,
    @Query() { de, a }: CoherenceQuery,
  ): Promise<CoherenceItem> {
    return this.engagements.coherence(tenantId, id, de, a);
  }
}
