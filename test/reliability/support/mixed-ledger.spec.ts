import { faultsOfMixed, type Found, type MixedSeen } from './mixed-ledger';

const NO_CARDS: Found['deliveries'] = {
  answered: new Set(),
  cards: [],
  events: [],
  received: [],
  secret: '',
  pendingDeliveries: 0,
  jobs: 0,
};
const seen: MixedSeen = {
  cards: new Map([['TX-1', 'A']]),
  refusedCards: ['TX-2'],
  receipts: new Map([['V-1', 'R-1']]),
  confirmed: [1, 0],
  generations: [3, 0],
  staleReads: 0,
};
const there: Found = {
  // A card and a vote whose confirmation was lost on the way are no fault.
  cards: new Map([
    ['TX-1', 'A'],
    ['TX-3', 'C'],
  ]),
  voted: new Set(['V-1', 'V-2']),
  ballots: 2,
  counts: [1, 1],
  receiptsKept: 2,
  receiptsUnknown: 0,
  generations: [[4], []],
  deliveries: NO_CARDS,
};

describe('The check of what a load has left', () => {
  it('finds nothing where all that was confirmed is there, also beside what was not', () => {
    expect(faultsOfMixed(seen, there)).toEqual({});
  });

  it.each<[string, Partial<MixedSeen>, Partial<Found>]>([
    ['cards answered 201 that are not there', {}, { cards: new Map([['TX-1', 'B']]) }],
    ['cards refused as unchanged that are there', { refusedCards: ['TX-3'] }, {}],
    ['votes answered 201 of voters who have not voted', {}, { voted: new Set(['V-2', 'V-3']) }],
    ['ballots too many or too few beside the roll', {}, { ballots: 3 }],
    ['ballots too many or too few beside the roll', {}, { ballots: 1 }],
    ['receipts too many or too few beside the roll', {}, { receiptsKept: 1 }],
    ['receipts that are not known', {}, { receiptsUnknown: 1 }],
    ['votes fewer than were confirmed for an option', {}, { counts: [0, 2] }],
    ['syncs answered 200 that are gone', {}, { generations: [[2], []] }],
    ['syncs answered 200 that are gone', {}, { generations: [[], []] }],
    ['syncs that are there in part', {}, { generations: [[3, 4], []] }],
    ['reads older than what was confirmed', { staleReads: 1 }, {}],
    ['jobs left', {}, { deliveries: { ...NO_CARDS, jobs: 1 } }],
  ])('reports %s', (fault, badlySeen, badlyThere) => {
    expect(faultsOfMixed({ ...seen, ...badlySeen }, { ...there, ...badlyThere })[fault]).toBe(1);
  });
});
