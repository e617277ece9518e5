import { Module } from '@nestjs/common';
import { Config } from '#platform/ops/config';
import { CertificationRunner } from './application/certification-runner';
import { CertificationsService } from './application/certifications.service';
import { DeliveryMetrics } from './application/delivery-metrics';
import { DeliveryWorker } from './application/delivery-worker';
import { EvenementsService } from './application/evenements.service';
import { LivraisonJobs } from './application/livraison-jobs';
import { OutcomeRecorder } from './application/outcome-recorder';
import { Sender } from './application/sender';
import { SigningKeys } from './application/signing-keys';
import { SimulatedAnswers } from './application/simulated-answers';
import { WebhooksService } from './application/webhooks.service';
import { CertificationRepository } from './persistence/certification.repository';
import { EvenementQuery } from './persistence/evenement.query';
import { LivraisonRepository } from './persistence/livraison.repository';
import { WebhookRepository } from './persistence/webhook.repository';

/** Makes deliveries of events. Every process that makes events loads it. */
@Module({
  providers: [
    WebhooksService,
    CertificationsService,
    EvenementsService,
    LivraisonJobs,
    SigningKeys,
    SimulatedAnswers,
    CertificationRepository,
    WebhookRepository,
    LivraisonRepository,
    EvenementQuery,
  ],
  exports: [
    WebhooksService,
    CertificationsService,
    CertificationRepository,
    EvenementsService,
    LivraisonJobs,
    SigningKeys,
    SimulatedAnswers,
    LivraisonRepository,
    WebhookRepository,
  ],
})
export class WebhooksModule {}

/** Sends deliveries, and runs certifications. Only the worker loads it. */
@Module({
  imports: [WebhooksModule],
  providers: [
    {
      provide: Sender,
      inject: [Config],
      useFactory: (config: Config) => new Sender({ allowInsecure: config.webhookAllowInsecure }),
    },
    DeliveryMetrics,
    OutcomeRecorder,
    DeliveryWorker,
    CertificationRunner,
  ],
  exports: [CertificationRunner],
})
export class DeliveriesModule {}
