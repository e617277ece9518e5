import { eventsOf } from '#platform/events/event-type';

export const ADHESION_EVENTS = eventsOf('adhesion', {
  signee: {
    description: 'A card was signed, or made by a conciliation. Data: the card as V2 shows it.',
    module: 'carteMembre',
  },
  supprimee: {
    description: 'A signed card was deleted. Data: which one.',
    module: 'carteMembre',
  },
});

export const CONCILIATION_EVENTS = eventsOf('conciliation', {
  demandee: {
    description: 'Somebody who is no known employee signed. Data: the membership request that waits.',
    module: 'carteMembre',
  },
});
