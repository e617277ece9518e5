import type { Type } from '@nestjs/common';
import { AdhesionSupprimeeData, AdhesionV2Item, DemandeItem } from '#adhesion';
import { CleExpireBientotData } from '#clients';
import { ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import type { EventType } from '../domain/event.types';
import { SyncBloqueeData, SyncTermineeData } from '#sync';
import { CampagneEngageeData, CampagneItem, CampagneScelleeData, ListeElectoraleCreeeData } from '#voting';
import { WEBHOOK_FIELDS } from '../domain/webhook.fields';
import { EXAMPLE_CERTIFICATION_ID } from './certifications.dto';
import { EXAMPLE_WEBHOOK_ID } from './webhooks.dto';

export class WebhookTestData extends ItemOf({
  webhookId: value.id('The tested endpoint (GUID).', EXAMPLE_WEBHOOK_ID),
  certificationId: value.optional(
    value.id('The certification of the receiver (GUID); only in its events.', EXAMPLE_CERTIFICATION_ID),
  ),
  defi: value.optional(
    value.text('Proves in `constats` that the event was processed; only in events of a certification.'),
  ),
}) {}

export class WebhookDesactiveData extends ItemOf({
  webhookId: value.id('The disabled endpoint (GUID).', EXAMPLE_WEBHOOK_ID),
  url: value.text('Its address.', WEBHOOK_FIELDS.url.example),
  desactiveLe: value.time('When it was disabled (UTC).', '2026-03-02T14:05:09.120Z'),
  raisonDesactivation: value.text(
    WEBHOOK_FIELDS.raisonDesactivation.description,
    'The receiver answered 410 Gone.',
  ),
}) {}

/** The class of the data of each type of event, as in the OpenAPI document. */
export const EVENT_DATA: Readonly<Record<EventType, Type>> = {
  'adhesion.signee': AdhesionV2Item,
  'adhesion.supprimee': AdhesionSupprimeeData,
  'campagne.engagee': CampagneEngageeData,
  'campagne.publiee': CampagneItem,
  'campagne.ouverte': CampagneItem,
  'campagne.scellee': CampagneScelleeData,
  'campagne.terminee': CampagneItem,
  'cle.expireBientot': CleExpireBientotData,
  'conciliation.demandee': DemandeItem,
  'listeElectorale.creee': ListeElectoraleCreeeData,
  'sync.bloquee': SyncBloqueeData,
  'sync.terminee': SyncTermineeData,
  'webhook.desactive': WebhookDesactiveData,
  'webhook.test': WebhookTestData,
};
