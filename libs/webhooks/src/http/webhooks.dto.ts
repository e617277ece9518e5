import { ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { EVENT_TYPES, type EventType } from '../domain/event.types';
import { givenId, readOnly, pick } from '#platform/input/field';
import { REPLAY_FIELDS, WEBHOOK_FIELDS } from '../domain/webhook.fields';
import { type EtatLivraison, ETATS_LIVRAISON } from '../domain/webhook.types';

/** Identifiers that the documentation names and the demonstration tenant has. */
export const EXAMPLE_WEBHOOK_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f01';
export const EXAMPLE_WEBHOOK_INACTIF_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f02';
export const EXAMPLE_LIVRAISON_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f11';
const EXAMPLE_EVENEMENT_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21';

/** Body of POST and PUT; PUT replaces every property. */
export class WebhookInput extends InputOf(WEBHOOK_FIELDS) {}

/** A receiver of events. */
export class WebhookItem extends ItemOf(
  pick(
    WEBHOOK_FIELDS,
    'id',
    'description',
    'desactiveLe',
    'raisonDesactivation',
    'dateCreation',
    'derniereMAJ',
    'url',
    'types',
    'actif',
  ),
) {}

const secret = {
  description:
    'What deliveries are signed with: `whsec_` and 32 bytes in base64, as Standard Webhooks verifiers take it. Shown in this answer and never again.',
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
} as const;

export class CreatedWebhookItem extends WebhookItem {
  @ApiProperty(secret)
  secret: string;
}

export class RotatedWebhookItem extends CreatedWebhookItem {
  @ApiProperty({
    description: 'Until when the secret before signs along (UTC).',
    format: 'date-time',
    example: '2026-03-03T14:05:09.120Z',
  })
  ancienSecretJusqua: string;
}

class TentativeItem {
  @ApiProperty({
    description: 'When it began (UTC).',
    format: 'date-time',
    example: '2026-03-02T14:05:09.120Z',
  })
  date: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the answer; null where none came.',
    example: 204,
  })
  statut: number | null;

  @ApiProperty({ type: 'integer', description: 'How long it took, in milliseconds.', example: 87 })
  dureeMs: number;

  @ApiProperty({
    description: 'The first kilobyte of the answer, or what went wrong where none came.',
    example: '',
  })
  reponse: string;
}

/** An event on its way to an endpoint. */
export class LivraisonItem {
  @Shown(givenId('Identifier of the delivery (GUID).', EXAMPLE_LIVRAISON_ID))
  id: string;

  @Shown(givenId('Identifier of the event (GUID): the `webhook-id` of every attempt.', EXAMPLE_EVENEMENT_ID))
  evenementId: string;

  @ApiProperty({
    description: 'Type of the event.',
    enum: Object.keys(EVENT_TYPES),
    example: 'adhesion.signee',
  })
  type: EventType;

  @ApiProperty({
    description:
      '`EnAttente` until an attempt succeeds (`Reussie`) or the last one has failed (`Echouee`). `Annulee`: the endpoint was not active, or did not hear of the type, when its time came.',
    enum: ETATS_LIVRAISON,
    example: 'Reussie',
  })
  etat: EtatLivraison;

  @ApiProperty({
    type: TentativeItem,
    isArray: true,
    description: 'The attempts, oldest first; the last 50.',
  })
  tentatives: TentativeItem[];

  @Shown({
    ...readOnly('When it is attempted next (UTC); null once it is over.', '2026-03-02T14:10:09.120Z'),
    format: 'date-time',
  })
  prochaineTentative: string | null;
}

export class RecuperationInput {
  @Input(REPLAY_FIELDS.depuis)
  depuis: Date;
}

export class RecuperationItem {
  @ApiProperty({ type: 'integer', description: 'Events that are sent.', example: 118 })
  nombreLivraisons: number;
}
