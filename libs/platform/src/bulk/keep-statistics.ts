import type { PoolClient } from 'pg';

/** Number of rows from which a nested loop over all of them takes seconds. */
const MANY = 1_000;

/**
 * Keeps autovacuum off a table until the transaction ends. Autovacuum does not see the rows that this transaction writes
 * into a nearly empty table. It would record pages without rows, and PostgreSQL would then plan every check of a foreign
 * key for an empty table (docs/adr/0011). The lock does not wait and does not block other writers. A table with more known
 * rows than the transaction writes is not locked, because autovacuum must run at some time.
 *
 * @param rows maximum number of rows to be written
 */
export async function keepStatistics(client: PoolClient, table: string, rows: number): Promise<void> {
  if (rows < MANY) return;
  await client.query(`DO $$ BEGIN
    IF (SELECT reltuples FROM pg_class WHERE oid = '${table}'::regclass) < '${rows}'::float4 THEN
      LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE NOWAIT;
    END IF;
  EXCEPTION WHEN lock_not_available THEN NULL; -- Another sync or autovacuum holds the lock.
  END $$`);
}
