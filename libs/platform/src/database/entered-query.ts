import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { endsConnection } from '../errors/sql-errors';
import { type Earlier, sendTogether, type Statement } from './one-trip';

/**
 * The role to act as, the tenant whose rows are seen, whether PostgreSQL refuses writes, and the space that is written ('' for
 * none), as values of `ENTER`.
 */
export type Entry = readonly [role: string, tenantId: string, readOnly: 'on' | 'off', written: string];

/** A statement that goes before another one in the same trip, and answers no row. */
export interface Prelude extends Earlier {
  readonly values: readonly string[];
}

/**
 * Sets role, tenant, access and the way of planning until the end of the transaction, because connections of the pool are shared. It returns no
 * row, because the result of the next statement is the only one that is read. It refuses to write into a space that is being
 * moved to another cell (docs/adr/0039).
 */
export const ENTER = {
  name: 'transaction_enter',
  text: `SELECT WHERE set_config('role', $1, true) IS NULL OR set_config('app.tenant_id', $2, true) IS NULL
    OR set_config('transaction_read_only', $3, true) IS NULL OR set_config('plan_cache_mode', $5, true) IS NULL
    OR CASE WHEN $4::text = '' THEN false
      WHEN pg_try_advisory_xact_lock_shared(hashtextextended($4::text, 5))
        AND pg_sequence_last_value('espace_ferme_existe'::regclass) IS NULL THEN false
      ELSE NOT espace_ecrire($4::text::uuid) END`,
};

/**
 * Returns the statement that enters a transaction.
 *
 * @param name of the only statement of the transaction, if it has one. Its plan is one for all values from the beginning. Otherwise
 * PostgreSQL would plan it for the tenant. Statistics from before the tenant's first sync do not have it, so PostgreSQL would expect no
 * rows, take any index of the tenant, and read all rows of a table for each row of a list.
 */
export function entering(entry: Entry, name?: string): { name: string; text: string; values: string[] } {
  return { ...ENTER, values: [...entry, name === undefined ? 'auto' : 'force_generic_plan'] };
}

/**
 * Makes PostgreSQL read rows in the order of an index. PostgreSQL does not know how many rows one value has and how many are
 * wanted, so it would read and sort all of them for a page.
 */
export const IN_ORDER: Prelude = {
  name: 'transaction_in_order',
  text: `SELECT WHERE set_config('enable_sort', 'off', true) IS NULL OR set_config('enable_bitmapscan', 'off', true) IS NULL`,
  values: [],
};

/** Runs `work` on a connection of the pool, which does not hand it out again if it has ended or is about to. */
export async function leased<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    if (endsConnection(error)) broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Runs one statement in a transaction that it enters first, behind others that answer no rows. All are sent at once and
 * before one Sync, which makes them one transaction (PostgreSQL, "Extended Query", on pipelining): role and tenant hold
 * for the statements and end with them, without a BEGIN and a COMMIT of their own; each sees what was committed before
 * its turn. The connection must know `ENTER` and `before` already (`knows`).
 */
export async function queryEntered<R extends QueryResultRow>(
  client: PoolClient,
  entry: Entry,
  statement: Statement,
  before: readonly Prelude[] = [],
): Promise<Pick<QueryResult<R>, 'rows' | 'rowCount'>> {
  const entrance = entering(entry, statement.name);
  const results = await sendTogether<R>(client, [entrance, ...before], statement, { haveRows: false });
  return results.at(-1)!;
}
