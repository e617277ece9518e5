import { eventsOf } from '#platform/events/event-type';

export const CAMPAGNE_EVENTS = eventsOf('campagne', {
  engagee: {
    description:
      'The log of receipts has grown, and its size is signed: keep the checkpoint as evidence. At most once a minute while the vote is open, and at the close. Data: the checkpoint, and the campaign.',
    module: 'vote',
  },
  ouverte: {
    description: 'The vote has opened, by its date or by API call. Data: the campaign as lists show it.',
    module: 'vote',
  },
  publiee: {
    description: 'A campaign was published: its structure is locked. Data: the campaign as lists show it.',
    module: 'vote',
  },
  scellee: {
    description:
      'The ballot box is sealed and the bundle of its count is built. Data: the campaign and the digest of the bundle.',
    module: 'vote',
  },
  terminee: {
    description: 'The vote has closed, by its date or by API call. Data: the campaign as lists show it.',
    module: 'vote',
  },
});

export const LISTE_ELECTORALE_EVENTS = eventsOf('listeElectorale', {
  creee: {
    description: 'Voters were added to a campaign by criteria. Data: their number, and the campaign.',
    module: 'vote',
  },
});
