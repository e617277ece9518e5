import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { faultsOf, type Ledger, repeatsOf } from './card-ledger';
import type { Received } from './receiver';

describe('The check of cards, events and arrivals', () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const arrival = (id: string, card: string): Received => {
    const [at, body] = [new Date(), JSON.stringify({ data: { idUniqueAdhesion: card } })];
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    };
    return { path: '/', headers, body, at: at.getTime() };
  };
  const sound: Ledger = {
    answered: new Set(['A', 'B']),
    cards: ['A', 'B', 'C'],
    events: ['A', 'B', 'C'].map((card) => ({ id: `evt ${card}`, card })),
    received: ['A', 'B', 'C', 'B'].map((card) => arrival(`evt ${card}`, card)),
    secret,
    pendingDeliveries: 0,
    jobs: 0,
  };

  it('reports no fault if each card has arrived, also if one came twice', () => {
    expect(faultsOf(sound)).toEqual({});
    expect(repeatsOf(sound)).toBe(1);
  });

  it.each<[string, Partial<Ledger>]>([
    ['cards without an event', { cards: [...sound.cards, 'D'] }],
    ['cards with several events', { events: [...sound.events, { id: 'evt A2', card: 'A' }] }],
    ['events without a card', { cards: ['A', 'B'] }],
    ['events that never arrived', { received: sound.received.slice(1) }],
    ['arrivals of what was not committed', { received: [...sound.received, arrival('evt X', 'X')] }],
    ['cards answered 201 that do not exist', { answered: new Set(['A', 'X']) }],
    ['cards answered 201 that never arrived', { received: sound.received.slice(1) }],
    ['arrivals that tell of another card', { received: [...sound.received, arrival('evt A', 'B')] }],
    ['repeats with another body', { received: [...sound.received, arrival('evt A', 'B')] }],
    [
      'arrivals whose signature is wrong',
      { received: [...sound.received, { ...arrival('evt A', 'A'), body: sound.received[1]!.body }] },
    ],
    ['deliveries left', { pendingDeliveries: 1 }],
    ['jobs left', { jobs: 1 }],
  ])('reports %s', (fault, damage) => {
    expect(faultsOf({ ...sound, ...damage })[fault]).toBe(1);
  });
});
