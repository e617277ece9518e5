import { eventsOf } from '#platform/events/event-type';

export const SYNC_EVENTS = eventsOf('sync', {
  bloquee: {
    description:
      'The brake of the client has stopped a sync, which has written nothing. Data: its plan, and what it would have done.',
  },
  terminee: {
    description:
      'A sync has ended, sent directly or as a task. Data: the numbers of written and rejected records.',
  },
});
