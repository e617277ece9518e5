import { CAMPAGNE, LISTE_ELECTORALE, VOTANT } from '../../domain/voting.errors';
import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { Compares } from '#platform/http/comparison.interceptor';
import { type Listing, listOf } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { EcartsService } from '../application/ecarts.service';
import { EcartsAppliquesItem, EcartsApplicationInput, EcartsItem, EcartsQuery } from './ecarts.dto';
import { CampagneId, campagnePart } from '../../http/path-parts';

@ApiTags('Voters')
@Requires({ role: 'partenaire', module: 'vote' })
@Controller('b2b/v1/campagnes/:id/liste-electorale/ecarts')
export class EcartsController {
  constructor(private readonly ecarts: EcartsService) {}

  @Get()
  @Answers({
    summary: 'Compare the roll with the master data',
    description:
      'The differences between the roll and the voters that the electoral lists of the campaign would make now. A list without `ActifsLe` is compared by the current day. A voter belongs to the list that added it; a voter that was created or changed by hand, or has voted, is in no difference. The response is streamed; the connection breaks if the differences change meanwhile.',
    path: { id: campagnePart() },
    type: EcartsItem,
    errors: [CAMPAGNE.NotFound],
  })
  list(@Tenant() tenantId: string, @CampagneId() campagneId: string, @Query() query: EcartsQuery): Listing {
    const { fetch, empreinte, line } = this.ecarts.list(tenantId, campagneId, query.nature);
    return listOf({}, fetch, {
      line,
      around: () => [`{"empreinte":"${empreinte()}","ecarts":[`, ']}'],
    });
  }

  @Post('appliquer')
  @Compares()
  @Answers({
    summary: 'Apply differences to the roll',
    description:
      'Adds, removes or changes the voters of the differences that were read, all or those of some kinds. Nothing is written if the differences are not the same any more. Voters who vote meanwhile stay as they are.',
    path: { id: campagnePart() },
    status: 200,
    type: EcartsAppliquesItem,
    errors: [
      CAMPAGNE.NotFound,
      CAMPAGNE.ModificationNonPermise,
      CAMPAGNE.TropVolumineuse,
      VOTANT.PoidsIdentifiants,
      LISTE_ELECTORALE.EcartsPerimes,
    ],
  })
  apply(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @Body() body: EcartsApplicationInput,
  ): Promise<EcartsAppliquesItem> {
    return this.ecarts.apply(tenantId, actor, campagneId, body);
  }
}
