import { eventsOf } from '#platform/events/event-type';

/** Data of `webhook.desactive`. */
export interface WebhookDesactive {
  readonly webhookId: string;
  readonly url: string;
  readonly desactiveLe: string;
  readonly raisonDesactivation: string;
}

export const WEBHOOK_EVENTS = eventsOf('webhook', {
  desactive: {
    description:
      'The service disabled an endpoint. Others that subscribe to the type get it. Data: the endpoint and the reason.',
  },
  test: {
    description: 'Sent to one endpoint on request. Data: the endpoint.',
  },
});
