import { ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { EVENT_TYPES, type EventType } from '../domain/event.types';
import { givenId, readOnly } from '#platform/input/field';
import { REPLAY_FIELDS, WEBHOOK_FIELDS } from '../domain/webhook.fields';
import { type EtatLivraison, ETATS_LIVRAISON } from '../domain/webhook.types';

/** Identifiers of the documentation's examples; the demonstration tenant has them. */
export const EXAMPLE_WEBHOOK_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f01';
export const EXAMPLE_WEBHOOK_INACTIF_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f02';
export const EXAMPLE_LIVRAISON_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f11';
const EXAMPLE_EVENEMENT_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21';

/** Body of POST and PUT; PUT replaces every property. */
export class WebhookInput extends InputOf(WEBHOOK_FIELDS) {}

/** An endpoint. */
export class WebhookItem extends ItemOf(WEBHOOK_FIELDS) {}

const secret = {
  description:
    'Secret that signs deliveries: `whsec_` and 32 bytes in base64, as verifiers of Standard Webhooks expect it. Only this response has it.',
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
} as const;

export class CreatedWebhookItem extends WebhookItem {
  @ApiProperty(secret)
  secret: string;
}

export class RotatedWebhookItem extends CreatedWebhookItem {
  @ApiProperty({
    description: 'Time until which the previous secret also signs (UTC).',
    format: 'date-time',
    example: '2026-03-03T14:05:09.120Z',
  })
  ancienSecretJusqua: string;
}

class TentativeItem {
  @ApiProperty({
    description: 'Start of the attempt (UTC).',
    format: 'date-time',
    example: '2026-03-02T14:05:09.120Z',
  })
  date: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the response; null without a response.',
    example: 204,
  })
  statut: number | null;

  @ApiProperty({ type: 'integer', description: 'Duration in milliseconds.', example: 87 })
  dureeMs: number;

  @ApiProperty({
    description: 'The first kilobyte of the response; the error without a response.',
    example: '',
  })
  reponse: string;
}

/** A delivery of an event to an endpoint. */
export class LivraisonItem {
  @Shown(givenId('Identifier of the delivery (GUID).', EXAMPLE_LIVRAISON_ID))
  id: string;

  @Shown(givenId('Identifier of the event (GUID): the `webhook-id` of each attempt.', EXAMPLE_EVENEMENT_ID))
  evenementId: string;

  @ApiProperty({
    description: 'Type of the event.',
    enum: Object.keys(EVENT_TYPES),
    example: 'adhesion.signee',
  })
  type: EventType;

  @ApiProperty({
    description:
      '`EnAttente` until an attempt succeeds (`Reussie`) or the last one fails (`Echouee`). `Annulee`: at the time of the attempt, the endpoint was not active, or did not subscribe to the type.',
    enum: ETATS_LIVRAISON,
    example: 'Reussie',
  })
  etat: EtatLivraison;

  @ApiProperty({
    type: TentativeItem,
    isArray: true,
    description: 'The last 50 attempts, oldest first.',
  })
  tentatives: TentativeItem[];

  @Shown({
    ...readOnly('Time of the next attempt (UTC); null if none follows.', '2026-03-02T14:10:09.120Z'),
    format: 'date-time',
  })
  prochaineTentative: string | null;
}

export class RecuperationInput {
  @Input(REPLAY_FIELDS.depuis)
  depuis: Date;
}

export class RecuperationItem {
  @ApiProperty({ type: 'integer', description: 'Number of events that are sent.', example: 118 })
  nombreLivraisons: number;
}
