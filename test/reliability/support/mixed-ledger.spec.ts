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
  // A card and a vote whose confirmation was lost on the way are not faults.
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

describe('The check of the stored data of a load', () => {
  it('reports no fault if all confirmed data is stored, also with unconfirmed data', () => {
    expect(faultsOfMixed(seen, there)).toEqual({});
  });

  it.each<[string, Partial<MixedSeen>, Partial<Found>]>([
    ['missing cards that returned 201', {}, { cards: new Map([['TX-1', 'B']]) }],
    ['stored cards that were rejected as unchanged', { refusedCards: ['TX-3'] }, {}],
    ['missing votes that returned 201', {}, { voted: new Set(['V-2', 'V-3']) }],
    ['ballots differ in number from the roll', {}, { ballots: 3 }],
    ['ballots differ in number from the roll', {}, { ballots: 1 }],
    ['receipts differ in number from the roll', {}, { receiptsKept: 1 }],
    ['unknown receipts', {}, { receiptsUnknown: 1 }],
    ['missing votes of an option', {}, { counts: [0, 2] }],
    ['missing syncs that returned 200', {}, { generations: [[2], []] }],
    ['missing syncs that returned 200', {}, { generations: [[], []] }],
    ['partial syncs', {}, { generations: [[3, 4], []] }],
    ['reads older than confirmed writes', { staleReads: 1 }, {}],
    ['jobs left', {}, { deliveries: { ...NO_CARDS, jobs: 1 } }],
  ])('reports %s', (fault, badlySeen, badlyThere) => {
    expect(faultsOfMixed({ ...seen, ...badlySeen }, { ...there, ...badlyThere })[fault]).toBe(1);
  });
});
