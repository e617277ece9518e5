import { eventsOf } from '#platform/events/event-type';

export const CLE_EVENTS = eventsOf('cle', {
  expireBientot: {
    description:
      'A key of the data space expires within 14 days. Sent once for each key. Data: the key, without its secret.',
  },
});
