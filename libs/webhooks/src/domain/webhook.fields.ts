import { EVENT_TYPES, type EventType } from './event.types';
import { givenId, givenTime, readOnly, type RecordOf, text } from '#platform/input/field';

/** Types that an endpoint can hear of; `webhook.test` is sent to any, on demand. */
const SUBSCRIBED_TYPES: readonly EventType[] = (Object.keys(EVENT_TYPES) as EventType[]).filter(
  (type) => type !== 'webhook.test',
);

/** A receiver of events (docs/contract.md, "Endpoints"). */
export const WEBHOOK_FIELDS = {
  url: text(2048, {
    required: true,
    shown: 'Where events are posted to.',
    description:
      'Where events are posted to: https on port 443, under a public address, without user or fragment.',
    example: 'https://hooks.example.org/mandat',
  }),
  types: {
    kind: 'choices',
    values: SUBSCRIBED_TYPES,
    required: true,
    shown: 'The types of event that it hears of.',
    description: 'The types of event that it hears of, one or more. A key hears of what its modules show.',
    example: ['adhesion.signee', 'sync.terminee'],
  },
  actif: {
    kind: 'boolean',
    shown: 'Whether events are sent to it.',
    always: true,
    description:
      'Whether events are sent to it. True if absent. What happens while it is false is not sent later unless it is asked for (`recuperer`).',
    example: true,
  },
  description: text(255, { description: 'What it is for.', example: 'Paie, production' }),
  id: givenId('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f01'),
  desactiveLe: {
    ...readOnly(
      'When the service disabled it (UTC); null unless it did. Set `actif` to true to go on.',
      '2026-03-02T14:05:09.120Z',
    ),
    format: 'date-time',
  },
  raisonDesactivation: readOnly('Why the service disabled it.', 'The receiver answered 410 Gone.'),
  dateCreation: givenTime('When it was registered (UTC).', '2026-03-02T14:05:09.120Z'),
  derniereMAJ: givenTime('When it was last changed (UTC).', '2026-03-02T14:05:09.120Z'),
} as const;

export type WebhookRecord = RecordOf<typeof WEBHOOK_FIELDS>;

/** What is replayed to an endpoint. */
export const REPLAY_FIELDS = {
  depuis: {
    kind: 'date',
    required: true,
    description: 'Events of this time or later are sent (again); events are kept for 30 days.',
    example: '2026-03-01T00:00:00Z',
  },
} as const;
