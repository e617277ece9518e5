import type { Client } from 'pg';
import {
  faultsOf as cardFaultsOf,
  type Ledger,
  pendingOf,
  readLedger,
} from '../../webhooks/support/card-ledger';
import { type Received, until } from '../../webhooks/support/receiver';
import type { Fleet } from './fleet';
import type { MixedLoad, Seen } from './mixed-load';

/** The stored data of a load's data space. */
export interface Found {
  /** All cards, by transaction. */
  readonly cards: ReadonlyMap<string, string>;
  /** Ids of voters who have voted. */
  readonly voted: ReadonlySet<string>;
  readonly ballots: number;
  /** Ballots for each option. */
  readonly counts: readonly number[];
  readonly receiptsKept: number;
  /** The number of voters whose receipt the service does not know. */
  readonly receiptsUnknown: number;
  /** The numbers of the syncs that wrote the employees of each group. */
  readonly generations: readonly (readonly number[])[];
  readonly deliveries: Ledger;
}

export type MixedSeen = Pick<
  Seen,
  'cards' | 'refusedCards' | 'receipts' | 'confirmed' | 'generations' | 'staleReads'
>;

/** The tenant of a load's data space. */
export async function tenantOf(database: Client, { space }: MixedLoad): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT id FROM tenant WHERE client_id = $1 AND environnement = 'staging'`,
    [space.clientId],
  );
  return rows[0]!.id;
}

/** Waits until all events of a load are delivered. A transaction of a killed process may still run in the database. */
export async function delivered(database: Client, load: MixedLoad): Promise<void> {
  const tenantId = await tenantOf(database, load);
  const isDone = async (): Promise<boolean> => {
    const { pendingDeliveries, jobs } = await pendingOf(database, tenantId);
    return pendingDeliveries + jobs === 0;
  };
  await until('all events are delivered', isDone, 180_000);
}

/** Reads the stored data of a load, after all its requests have ended. */
export async function found(
  database: Client,
  fleet: Fleet,
  load: MixedLoad,
  received: readonly Received[],
): Promise<Found> {
  const tenantId = await tenantOf(database, load);
  const rows = async <R extends object>(text: string, ...values: unknown[]): Promise<R[]> =>
    (await database.query<R>(text, [tenantId, ...values])).rows;
  const cards = await rows<{ tx: string; id: string }>(
    'SELECT transaction_id AS tx, id_unique AS id FROM adhesion WHERE tenant_id = $1',
  );
  const voted = await rows<{ id: string }>(
    'SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND a_vote',
    load.vote.id,
  );
  const ballots = await rows<{ option: string; count: number }>(
    `SELECT reponses[1] AS option, count(*)::int AS count FROM bulletin
     WHERE tenant_id = $1 AND campagne_id = $2 GROUP BY 1`,
    load.vote.id,
  );
  const [kept] = await rows<{ count: number }>(
    'SELECT count(*)::int AS count FROM recu WHERE tenant_id = $1 AND campagne_id = $2',
    load.vote.id,
  );
  const groups = await rows<{ group: number; prenom: string }>(
    `SELECT DISTINCT substring(id_externe FROM '^G(\\d+)-')::int AS group, prenom FROM employe
     WHERE tenant_id = $1 AND id_externe LIKE 'G%'`,
  );
  const url = await fleet.apis[0]!.url();
  let receiptsUnknown = 0;
  for (const recu of load.seen.receipts.values()) {
    const path = `/plateforme/v1/campagnes/${load.vote.id}/recus/${recu}`;
    if ((await fleet.send(url, load.space.platform, 'GET', path)).status !== 200) receiptsUnknown += 1;
  }
  const answered = new Set(load.seen.cards.values());
  return {
    cards: new Map(cards.map(({ tx, id }) => [tx, id])),
    voted: new Set(voted.map(({ id }) => id)),
    ballots: ballots.reduce((sum, { count }) => sum + count, 0),
    counts: [0, 1].map((place) => ballots.find(({ option }) => option === String(place))?.count ?? 0),
    receiptsKept: kept!.count,
    receiptsUnknown,
    generations: load.seen.generations.map((_, at) =>
      groups.filter(({ group }) => group === at).map(({ prenom }) => Number(prenom)),
    ),
    deliveries: await readLedger(database, tenantId, { answered, received, secret: load.secret }),
  };
}

/** Returns the number of faults by kind: none if and only if all confirmed data is stored, once and complete. */
export function faultsOfMixed(seen: MixedSeen, there: Found): Record<string, number> {
  const count = <T>(all: Iterable<T>, isWrong: (one: T) => boolean): number =>
    [...all].filter(isWrong).length;
  const faults = {
    'missing cards that returned 201': count(seen.cards, ([tx, id]) => there.cards.get(tx) !== id),
    'stored cards that were rejected as unchanged': count(seen.refusedCards, (tx) => there.cards.has(tx)),
    'missing votes that returned 201': count(seen.receipts.keys(), (id) => !there.voted.has(id)),
    'ballots differ in number from the roll': Math.abs(there.ballots - there.voted.size),
    'receipts differ in number from the roll': Math.abs(there.receiptsKept - there.voted.size),
    'unknown receipts': there.receiptsUnknown,
    'missing votes of an option': [0, 1].reduce(
      (sum, at) => sum + Math.max(0, seen.confirmed[at]! - there.counts[at]!),
      0,
    ),
    'missing syncs that returned 200': count(
      seen.generations.entries(),
      ([at, confirmed]) => Math.max(0, ...there.generations[at]!) < confirmed,
    ),
    'partial syncs': count(there.generations, (one) => one.length > 1),
    'reads older than confirmed writes': seen.staleReads,
    ...cardFaultsOf(there.deliveries),
  };
  return Object.fromEntries(Object.entries(faults).filter(([, often]) => often > 0));
}
