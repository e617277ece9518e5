import { eventsOf } from '#platform/events/event-type';

export const SYNC_EVENTS = eventsOf('sync', {
  terminee: {
    description:
      'A sync has ended, sent directly or as a task. Data: the numbers of written and rejected records.',
  },
});
