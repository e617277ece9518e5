import { Webhook } from 'standardwebhooks';
import type { Client } from 'pg';
import type { Received } from './receiver';

/** All that is known of a tenant's cards, their events and what a receiver got of them. */
export interface Ledger {
  /** Cards whose signing was answered 201. */
  readonly answered: ReadonlySet<string>;
  readonly cards: readonly string[];
  readonly events: readonly { id: string; card: string | null }[];
  readonly received: readonly Received[];
  readonly secret: string;
  readonly pendingDeliveries: number;
  readonly jobs: number;
}

/** What the database has of a tenant, beside what callers and a receiver saw of it. */
export async function readLedger(
  database: Client,
  tenantId: string,
  seen: Pick<Ledger, 'answered' | 'received' | 'secret'>,
): Promise<Ledger> {
  const { rows: cards } = await database.query<{ id: string }>(
    'SELECT id_unique AS id FROM adhesion WHERE tenant_id = $1',
    [tenantId],
  );
  const { rows: events } = await database.query<Ledger['events'][number]>(
    `SELECT id_unique AS id, data ->> 'idUniqueAdhesion' AS card FROM evenement
     WHERE tenant_id = $1 AND type = 'adhesion.signee'`,
    [tenantId],
  );
  const pending = await pendingOf(database, tenantId);
  return { ...seen, ...pending, cards: cards.map(({ id }) => id), events };
}

/** What is still to be delivered to anybody of a tenant, and by how many jobs. */
export async function pendingOf(
  database: Client,
  tenantId: string,
): Promise<Pick<Ledger, 'pendingDeliveries' | 'jobs'>> {
  const { rows } = await database.query<Pick<Ledger, 'pendingDeliveries' | 'jobs'>>(
    `SELECT (SELECT count(*)::int FROM livraison WHERE tenant_id = $1 AND etat <> 'Reussie') AS "pendingDeliveries",
       (SELECT count(*)::int FROM pgboss.job WHERE name = 'livraison' AND data ->> 'tenantId' = $1::text) AS jobs`,
    [tenantId],
  );
  return rows[0]!;
}

/**
 * What is wrong, by kind, with how often. Nothing is, if and only if each card has one event, the receiver got exactly
 * these events, each as its own card and always the same, and nothing is left to do.
 */
export function faultsOf(ledger: Ledger): Record<string, number> {
  const cards = new Set(ledger.cards);
  const eventsOf = Map.groupBy(ledger.events, ({ card }) => card ?? 'none');
  const cardOf = new Map(ledger.events.map(({ id, card }) => [id, card]));
  const copies = Map.groupBy(ledger.received, ({ headers }) => String(headers['webhook-id']));
  const delivered = new Set([...copies.keys()].map((id) => cardOf.get(id)));
  const count = <T>(all: Iterable<T>, isWrong: (one: T) => boolean): number =>
    [...all].filter(isWrong).length;
  const faults = {
    'cards without an event': count(cards, (card) => !eventsOf.has(card)),
    'cards with several events': count(eventsOf.values(), (events) => events.length > 1),
    'events without a card': count(eventsOf.keys(), (card) => !cards.has(card)),
    'events that never arrived': count(cardOf.keys(), (id) => !copies.has(id)),
    'arrivals of what was not committed': count(copies.keys(), (id) => !cardOf.has(id)),
    'cards answered 201 that do not exist': count(ledger.answered, (card) => !cards.has(card)),
    'cards answered 201 that never arrived': count(ledger.answered, (card) => !delivered.has(card)),
    'arrivals that tell of another card': count(copies, ([id, all]) =>
      all.some(({ body }) => cardIn(body) !== cardOf.get(id)),
    ),
    'repeats with another body': count(
      copies.values(),
      (all) => new Set(all.map(({ body }) => body)).size > 1,
    ),
    'arrivals whose signature is wrong': count(ledger.received, (one) => !isSigned(one, ledger.secret)),
    'deliveries left': ledger.pendingDeliveries,
    'jobs left': ledger.jobs,
  };
  return Object.fromEntries(Object.entries(faults).filter(([, often]) => often > 0));
}

/** How many arrivals were not the first of their event. */
export function repeatsOf({ received }: Ledger): number {
  return received.length - new Set(received.map(({ headers }) => headers['webhook-id'])).size;
}

function cardIn(body: string): unknown {
  return (JSON.parse(body) as { data: { idUniqueAdhesion?: string } }).data.idUniqueAdhesion;
}

/** Verifiers also compare the time with theirs, and the first arrivals are minutes old when they are looked at. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  return new Webhook(secret).sign(String(headers['webhook-id']), at, body) === headers['webhook-signature'];
}
