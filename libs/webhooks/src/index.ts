import { Webhook } from './domain/webhook.entity';

export { CertificationRunner } from './application/certification-runner';
export { CertificationsService } from './application/certifications.service';
export { EvenementsService } from './application/evenements.service';
export { createResolver } from './application/address-guard';
export { type SimulatedAnswer, SimulatedAnswers } from './application/simulated-answers';
export { WebhooksService } from './application/webhooks.service';
export { EventCatalogue } from './http/event-catalogue';
export { deliveriesOf, EVENT_SCHEMAS } from './http/event-schemas';
export { EXAMPLE_CERTIFICATION_ID } from './http/certifications.dto';
export { EXAMPLE_LIVRAISON_ID, EXAMPLE_WEBHOOK_ID, EXAMPLE_WEBHOOK_INACTIF_ID } from './http/webhooks.dto';
export { CertificationRepository } from './persistence/certification.repository';
export { RULES } from './domain/certification.rules';
export { SCENARIOS } from './domain/certification.types';
export { WEBHOOK_SEALED } from './persistence/webhook.repository';

export const WEBHOOKS_ENTITIES = [Webhook];
export * from './domain/webhooks.errors';
export { WEBHOOKS_QUEUES } from './application/livraison-jobs';
export { WEBHOOKS_AUDITED_ACTIONS } from './domain/webhooks.actions';
export { WEBHOOK_EVENTS, type WebhookDesactive } from './domain/webhooks.events';
export { DISABLED_BECAUSE } from './domain/webhook.entity';
