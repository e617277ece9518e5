import { Webhook } from 'standardwebhooks';
import type { Client } from 'pg';
import type { Received } from './receiver';

/** A tenant's cards, their events, and the requests with them that a receiver got. */
export interface Ledger {
  /** Cards whose signing got a 201. */
  readonly answered: ReadonlySet<string>;
  readonly cards: readonly string[];
  readonly events: readonly { id: string; card: string | null }[];
  readonly received: readonly Received[];
  readonly secret: string;
  readonly pendingDeliveries: number;
  readonly jobs: number;
}

/** Reads the rows of a tenant, and adds the observations of callers and receiver. */
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

/** Counts a tenant's waiting deliveries and their jobs. */
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
 * Returns the number of faults by kind. There are none if and only if each card has one event, the receiver got exactly
 * these events, each with its own card and always the same body, and no delivery or job is left.
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

/** Returns the number of arrivals that repeat an event. */
export function repeatsOf({ received }: Ledger): number {
  return received.length - new Set(received.map(({ headers }) => headers['webhook-id'])).size;
}

function cardIn(body: string): unknown {
  return (JSON.parse(body) as { data: { idUniqueAdhesion?: string } }).data.idUniqueAdhesion;
}

/** Verifiers also compare the time with theirs, and the first arrivals are minutes old when they are checked. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  return new Webhook(secret).sign(String(headers['webhook-id']), at, body) === headers['webhook-signature'];
}
