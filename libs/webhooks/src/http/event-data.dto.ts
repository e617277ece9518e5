import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { AdhesionSupprimeeData, AdhesionV2Item, DemandeItem } from '#adhesion';
import type { EventType } from '../domain/event.types';
import { SyncTermineeData } from '#sync';
import { CampagneItem, ListeElectoraleCreeeData } from '#voting';
import { EXAMPLE_WEBHOOK_ID } from './webhooks.dto';

export class WebhookTestData {
  @ApiProperty({
    description: 'The endpoint that is tested (GUID).',
    format: 'uuid',
    example: EXAMPLE_WEBHOOK_ID,
  })
  webhookId: string;
}

/** What the data of each type of event look like: the classes that the OpenAPI document shows. */
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
