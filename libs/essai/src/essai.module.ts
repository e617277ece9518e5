import { Module } from '@nestjs/common';
import { TachesService } from '#sync';
import { SyncModule } from '#sync/module';
import { VotingModule } from '#voting/module';
import { SimulatedAnswers } from '#webhooks';
import { WebhooksModule } from '#webhooks/module';
import { AvanceService } from './application/avance.service';
import { BulletinsEssaiService } from './application/bulletins-essai.service';
import { EffacementService } from './application/effacement.service';
import { ElectoratService } from './application/electorat.service';
import { HorlogeService } from './application/horloge.service';
import { PannesService } from './application/pannes.service';
import { EffacementRepository } from './persistence/effacement.repository';
import { HorlogeRepository } from './persistence/horloge.repository';
import { PanneRepository } from './persistence/panne.repository';

const services = [BulletinsEssaiService, EffacementService, ElectoratService, HorlogeService, PannesService];

@Module({
  imports: [SyncModule, VotingModule, WebhooksModule],
  providers: [...services, AvanceService, EffacementRepository, HorlogeRepository, PanneRepository],
  exports: services,
})
export class EssaiModule {
  /** Tasks advance clocks, and deliveries ask how they are to fail. */
  constructor(
    taches: TachesService,
    avance: AvanceService,
    answers: SimulatedAnswers,
    pannes: PannesService,
  ) {
    taches.register('horloge', (...task) => avance.perform(...task));
    answers.register((tenantId, webhookId) => pannes.ofWebhook(tenantId, webhookId));
  }
}
