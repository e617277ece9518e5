import { WEBHOOK_EVENTS } from '../domain/webhooks.events';

/**
 * SQL condition: events of a type go to a row of `webhook`; in the domain it is `Webhook.takes`. Events of `webhook.test` go to one
 * endpoint only.
 */
export const takes = (type: string): string =>
  `actif AND types @> ARRAY[${type}] AND ${type} <> '${WEBHOOK_EVENTS.test.type}'`;
