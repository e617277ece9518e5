import { Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { Unrecorded } from '#platform/http/idempotency.interceptor';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import { Body } from '#platform/input/request-parts.decorator';
import { CAMPAGNE, VOTE, VOTING_EXAMPLE_IDS } from '#voting';
import { BulletinsEssaiService } from '../application/bulletins-essai.service';
import { BulletinsEssaiInput, BulletinsEssaiItem } from './bulletins-essai.dto';

@ApiTags('Rehearsal')
@Requires({ role: 'plateforme', module: 'vote', environnement: 'staging' })
@Controller('plateforme/v1/essai/campagnes/:id/bulletins')
export class BulletinsEssaiController {
  constructor(private readonly bulletins: BulletinsEssaiService) {}

  @Post()
  @Unrecorded()
  @Answers({
    summary: 'Cast synthetic ballots',
    description: [
      'Chooses voters of an open campaign by a seed and casts their ballots, with the checks of every ballot. The seed also decides the choices, so these ballots are not secret from those who know it.',
      'Up to 10,000 ballots a request, of at most 50,000 voters: repeat the request until `restants` is 0. A repetition never casts a second ballot, so an `Idempotency-Key` has no effect.',
    ].join('\n\n'),
    path: { id: guidPart('campaign', VOTING_EXAMPLE_IDS.ouverte) },
    type: BulletinsEssaiItem,
    errors: [CAMPAGNE.NotFound, VOTE.CampagneNonOuverte],
  })
  cast(
    @Tenant() tenantId: string,
    @Param('id', new GuidPart(CAMPAGNE.NotFound)) campagneId: string,
    @Body() body: BulletinsEssaiInput,
  ): Promise<BulletinsEssaiItem> {
    return this.bulletins.cast(tenantId, campagneId, body);
  }
}
