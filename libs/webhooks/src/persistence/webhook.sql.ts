import { WEBHOOK_EVENTS } from '../domain/webhooks.events';

/**
 * SQL condition: events of a type go to a row of `webhook`; in the domain it is `Webhook.takes`. Events of `webhook.test` go to one
 * endpoint only.
 */
export const takes = (type: string): string =>
  `actif AND types @> ARRAY[${type}] AND ${type} <> '${WEBHOOK_EVENTS.test.type}'`;

/** SQL: the time of an event, by the clock of its data space when it was written (docs/adr/0058). */
export const EVENT_DATE = `(date_creation + coalesce(decalage, interval '0'))`;
