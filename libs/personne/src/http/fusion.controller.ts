import { Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EMPLOYE } from '#membership';
import { CurrentActorWithModules } from '#access/actor.decorator';
import type { ActorWithModules } from '#access/caller';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { CAMPAGNE, VOTANT } from '#voting';
import { FusionService } from '../application/fusion.service';
import { FusionInput, FusionItem, FusionQuery } from './fusion.dto';

@ApiTags('Employees, V2')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/employe')
export class FusionController {
  constructor(private readonly fusions: FusionService) {}

  @Post(':idExterne/fusion')
  @Answers({
    summary: 'Merge two employees that are one person',
    description: [
      'The employee of `idExterneAbsorbe` gives all it has to the one of the path, and is removed, all or nothing: employments, cards, consents, places on rolls and history go over. Memberships of one union become one, with the earlier beginning, ongoing if one of them is. A value that only one of them has stays; where both have one, that of the path stays, unless `prefere` names the property.',
      'On a roll with both, the place that has voted stays. For 400 days a read by the absorbed identifier names the other one. With `simulation=true` nothing is written.',
    ].join('\n\n'),
    path: {
      idExterne: { description: 'External identifier of the employee that stays.', example: 'E-1008' },
    },
    status: 200,
    type: FusionItem,
    errors: [
      ...[EMPLOYE.NotFound, EMPLOYE.FusionDeuxVotes, EMPLOYE.FusionEmploisEnDouble],
      ...[EMPLOYE.SyncEnAttente, VOTANT.PoidsIdentifiants, CAMPAGNE.ModificationNonPermise],
    ],
  })
  async merge(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() actor: ActorWithModules,
    @Param('idExterne') idExterne: string,
    @Query() query: FusionQuery,
    @Body() body: FusionInput,
  ): Promise<FusionItem> {
    const effets = await this.fusions.merge(tenantId, actor, idExterne, body, query.simulation ?? false);
    return { idExterne, effets };
  }
}
