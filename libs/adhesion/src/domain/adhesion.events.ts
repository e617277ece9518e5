import { eventsOf } from '#platform/events/event-type';

export const ADHESION_EVENTS = eventsOf('adhesion', {
  signee: {
    description: 'A card was signed, or made by a conciliation. Data: the card as V2 shows it.',
    module: 'carteMembre',
  },
  supprimee: {
    description: 'A signed card was deleted. Data: its identifiers.',
    module: 'carteMembre',
  },
});

export const CONCILIATION_EVENTS = eventsOf('conciliation', {
  demandee: {
    description:
      'An unknown person signed a card. Data: the membership request, which waits for conciliation.',
    module: 'carteMembre',
  },
});
