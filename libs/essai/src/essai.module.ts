import { Module } from '@nestjs/common';
import { SyncModule } from '#sync/module';
import { VotingModule } from '#voting/module';
import { SimulatedAnswers } from '#webhooks';
import { WebhooksModule } from '#webhooks/module';
import { BulletinsEssaiService } from './application/bulletins-essai.service';
import { EffacementService } from './application/effacement.service';
import { ElectoratService } from './application/electorat.service';
import { PannesService } from './application/pannes.service';
import { EffacementRepository } from './persistence/effacement.repository';
import { PanneRepository } from './persistence/panne.repository';

const services = [BulletinsEssaiService, EffacementService, ElectoratService, PannesService];

@Module({
  imports: [SyncModule, VotingModule, WebhooksModule],
  providers: [...services, EffacementRepository, PanneRepository],
  exports: services,
})
export class EssaiModule {
  /** Deliveries ask how they are to fail. */
  constructor(answers: SimulatedAnswers, pannes: PannesService) {
    answers.register((tenantId, webhookId) => pannes.ofWebhook(tenantId, webhookId));
  }
}
