import { eventsOf } from '#platform/events/event-type';

export const WEBHOOK_EVENTS = eventsOf('webhook', {
  test: {
    description: 'Sent to one endpoint on request. Data: the endpoint.',
  },
});
