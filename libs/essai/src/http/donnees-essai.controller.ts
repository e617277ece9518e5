import { Controller, Delete } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '#access/actor.decorator';
import { Requires, Tenant } from '#access/requires.decorator';
import type { Actor } from '#platform/audit/actor';
import { Answers } from '#platform/http/answers.decorator';
import { EffacementService } from '../application/effacement.service';
import { HORLOGE } from '../domain/horloge.errors';

@ApiTags('Rehearsal')
@Requires({ role: 'partenaire', module: 'vote', environnement: 'staging' })
@Controller('b2b/v2/essai/donnees')
export class DonneesEssaiController {
  constructor(private readonly effacement: EffacementService) {}

  @Delete()
  @Answers({
    summary: 'Erase all data of the data space',
    description: [
      'Removes everything that requests have made, also ballots, results, events with their deliveries, tasks, recorded answers and failures on demand, and puts the clock back to the real time. Keys, settings, webhook endpoints and the audit trail stay.',
      'The response comes when all is removed. Until then other requests see all data. If the connection breaks before, send the request again: all or nothing is removed.',
    ].join('\n\n'),
    status: 204,
    errors: [HORLOGE.AvanceEnCours],
  })
  erase(@Tenant() tenantId: string, @CurrentActor() actor: Actor): Promise<void> {
    return this.effacement.erase(tenantId, actor);
  }
}
