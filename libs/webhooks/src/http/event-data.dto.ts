import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { AdhesionSupprimeeData, AdhesionV2Item, DemandeItem } from '#adhesion';
import type { EventType } from '../domain/event.types';
import { SyncTermineeData } from '#sync';
import { CampagneItem, ListeElectoraleCreeeData } from '#voting';
import { EXAMPLE_WEBHOOK_ID } from './webhooks.dto';

export class WebhookTestData {
  @ApiProperty({
    description: 'The tested endpoint (GUID).',
    format: 'uuid',
    example: EXAMPLE_WEBHOOK_ID,
  })
  webhookId: string;
}

/** The class of the data of each type of event, as in the OpenAPI document. */
export const EVENT_DATA: Readonly<Record<EventType, Type>> = {
  'adhesion.signee': AdhesionV2Item,
  'adhesion.supprimee': AdhesionSupprimeeData,
  'campagne.publiee': CampagneItem,
  'campagne.ouverte': CampagneItem,
  'campagne.terminee': CampagneItem,
  'conciliation.demandee': DemandeItem,
  'listeElectorale.creee': ListeElectoraleCreeeData,
  'sync.terminee': SyncTermineeData,
  'webhook.test': WebhookTestData,
};
