import { givenId, readOnly } from '#platform/input/field';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { EVENT_TYPE_NAMES } from '../domain/event.types';
import { REPLAY_FIELDS, WEBHOOK_FIELDS } from '../domain/webhook.fields';
import { ETATS_LIVRAISON } from '../domain/webhook.types';

/** Identifiers of the documentation's examples; the demonstration tenant has them. */
export const EXAMPLE_WEBHOOK_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f01';
export const EXAMPLE_WEBHOOK_INACTIF_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f02';
export const EXAMPLE_LIVRAISON_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f11';
const EXAMPLE_EVENEMENT_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21';

/** Body of POST and PUT; PUT replaces every property. */
export class WebhookInput extends InputOf(WEBHOOK_FIELDS) {}

/** An endpoint. */
export class WebhookItem extends ItemOf(WEBHOOK_FIELDS) {}

/** A registered endpoint with its secret. */
export class CreatedWebhookItem extends ItemOf(
  {
    secret: value.orNull(
      value.text(
        'Secret that signs deliveries: `whsec_` and 32 bytes in base64, as verifiers of Standard Webhooks expect it. Only this response has it. Null for `v1a`: `clePublique` verifies.',
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
      ),
    ),
  },
  {},
  WebhookItem,
) {}

export class RotatedWebhookItem extends ItemOf(
  {
    ancienSecretJusqua: value.time(
      'Time until which the previous secret also signs (UTC).',
      '2026-03-03T14:05:09.120Z',
    ),
  },
  {},
  CreatedWebhookItem,
) {}

class TentativeItem extends ItemOf({
  date: value.time('Start of the attempt (UTC).', '2026-03-02T14:05:09.120Z'),
  statut: value.orNull(value.integer('HTTP status of the response; null without a response.', 204)),
  dureeMs: value.integer('Duration in milliseconds.', 87),
  reponse: value.text('The first kilobyte of the response; the error without a response.', ''),
}) {}

/** A delivery of an event to an endpoint. */
export class LivraisonItem extends ItemOf({
  id: givenId('Identifier of the delivery (GUID).', EXAMPLE_LIVRAISON_ID),
  evenementId: givenId(
    'Identifier of the event (GUID): the `webhook-id` of each attempt.',
    EXAMPLE_EVENEMENT_ID,
  ),
  type: value.choice(EVENT_TYPE_NAMES, 'Type of the event.', 'adhesion.signee'),
  etat: value.choice(
    ETATS_LIVRAISON,
    '`EnAttente` until an attempt succeeds (`Reussie`) or the last one fails (`Echouee`). `Annulee`: at the time of the attempt, the endpoint was not active, or did not subscribe to the type.',
    'Reussie',
  ),
  tentatives: value.list(TentativeItem, 'The last 50 attempts, oldest first.'),
  prochaineTentative: {
    ...readOnly('Time of the next attempt (UTC); null if none follows.', null),
    format: 'date-time',
  },
}) {}

export class RecuperationInput extends InputOf(REPLAY_FIELDS) {}

export class RecuperationItem extends ItemOf({
  nombreLivraisons: value.integer('Number of events that are sent.', 118),
}) {}
