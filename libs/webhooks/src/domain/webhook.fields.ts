import { EVENT_TYPE_NAMES } from './event.types';
import { SIGNATURES } from './webhook.types';
import { givenId, givenTime, readOnly, type RecordOf, text } from '#platform/input/field';

/** An endpoint that receives events (docs/contract.md, "Endpoints"). */
export const WEBHOOK_FIELDS = {
  url: text(2048, {
    required: true,
    shown: 'Address that receives the events.',
    description:
      'Address that receives the events: https on port 443, on the public internet, without user or fragment.',
    example: 'https://hooks.example.org/mandat',
  }),
  types: {
    kind: 'choices',
    values: EVENT_TYPE_NAMES,
    required: true,
    shown: 'Types of event that it subscribes to.',
    description:
      'Types of event that it subscribes to, one or more. Each must belong to a module of the key, or to none. `webhook.test` goes to the tested endpoint only, subscribed or not.',
    example: ['adhesion.signee', 'sync.terminee'],
  },
  actif: {
    kind: 'boolean',
    shown: 'Whether it receives events.',
    always: true,
    description:
      'Whether it receives events; true if absent. Events that occur while it is false are sent later only on request (`recuperer`).',
    example: true,
  },
  description: text(255, { description: 'Purpose of the endpoint.', example: 'Paie, production' }),
  signature: {
    kind: 'choice',
    values: SIGNATURES,
    shown:
      'Signature that keys of the endpoint make: `v1` (HMAC-SHA256) or `v1a` (Ed25519). It may differ from that of the present key until the next rotation.',
    always: true,
    description:
      'Signature of deliveries: `v1` (HMAC-SHA256, by a secret that the receiver has, too) or `v1a` (Ed25519, by a private key that only the service has); `v1` if absent. A change takes effect with the next rotation of the secret.',
    example: 'v1',
  },
  clePublique: readOnly(
    'Public key that verifies the signatures `v1a` of the present key: `whpk_` and 32 bytes in base64. Null while a secret signs (`v1`).',
    null,
  ),
  id: givenId('Identifier made by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f01'),
  desactiveLe: {
    ...readOnly(
      'Time at which the service disabled it (UTC), or null. Set `actif` to true to enable it again.',
      null,
    ),
    format: 'date-time',
  },
  raisonDesactivation: readOnly('Reason for which the service disabled it.', null),
  dateCreation: givenTime('Time of registration (UTC).', '2026-03-02T14:05:09.120Z'),
  derniereMAJ: givenTime('Time of the last change (UTC).', '2026-03-02T14:05:09.120Z'),
} as const;

export type WebhookRecord = RecordOf<typeof WEBHOOK_FIELDS>;

/** The request to replay events. */
export const REPLAY_FIELDS = {
  depuis: {
    kind: 'date',
    required: true,
    description: 'Sends events of this time or later, also those sent before. Events are kept for 30 days.',
    example: '2026-03-01T00:00:00Z',
  },
} as const;
