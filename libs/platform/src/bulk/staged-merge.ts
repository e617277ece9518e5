import type { PoolClient } from 'pg';

/** How rows of a stage become rows of a table. */
export interface StagedMerge {
  readonly table: string;
  readonly stage: string;
  /** Column of the table → column of the stage, after `tenant_id` the whole of a unique key. */
  readonly key: Readonly<Record<string, string>>;
  /**
   * Column of the table → SQL of its value, where `s` is the staged row and `t` the stored one: what it becomes (`update`)
   * and what it starts as (`insert`).
   */
  readonly values: Readonly<Record<string, { readonly update: string; readonly insert: string }>>;
  /** Set to the time of the write by a change. */
  readonly changedColumn?: string;
  /** Staged rows that are left out unless this SQL over `s` is true. */
  readonly where?: string;
  /** SQL that goes on with what was written: `merged(action, …)` has the columns of `returning`. */
  readonly returning?: string;
  readonly then?: string;
}

/**
 * Inserts and updates all staged rows in one statement; a row that would not change is not rewritten. In the order of
 * the key as far as the join keeps it, so that deadlocks with other requests stay rare.
 *
 * @returns how many rows are new
 */
export async function mergeStaged(client: PoolClient, tenantId: string, merge: StagedMerge): Promise<number> {
  const keys = Object.entries(merge.key);
  const names = Object.keys(merge.values);
  await keepStatistics(client, merge.table, `(${knownRows(merge.stage)})`);
  const each = (give: (name: string) => string): string => names.map(give).join(', ');
  const stored = each((name) => `t.${name}`);
  const next = each((name) => merge.values[name]!.update);
  const changed = merge.changedColumn ? `, ${merge.changedColumn} = clock_timestamp()` : '';
  const { rows } = await client.query<{ created: number }>(
    `WITH merged AS (
       MERGE INTO ${merge.table} t
       USING (
         SELECT * FROM ${merge.stage} s ${merge.where ? `WHERE ${merge.where}` : ''}
         ORDER BY ${keys.map(([, staged]) => staged).join(', ')}
       ) s
       ON t.tenant_id = $1 AND ${keys.map(([column, staged]) => `t.${column} = s.${staged}`).join(' AND ')}
       WHEN MATCHED AND (${stored}) IS DISTINCT FROM (${next}) THEN
         UPDATE SET ${each((name) => `${name} = ${merge.values[name]!.update}`)}${changed}
       WHEN NOT MATCHED THEN
         INSERT (tenant_id, ${[...keys.map(([column]) => column), ...names].join(', ')})
         VALUES ($1, ${[...keys.map(([, staged]) => `s.${staged}`), ...names.map((name) => merge.values[name]!.insert)].join(', ')})
       RETURNING merge_action() AS action${merge.returning ? `, ${merge.returning}` : ''}
     )${merge.then ? `, ${merge.then}` : ''}
     SELECT count(*) FILTER (WHERE action = 'INSERT')::int AS created FROM merged`,
    [tenantId],
  );
  return rows[0]!.created;
}

/** From so many rows on, reading all of them for each of them takes seconds. */
const MANY = 1_000;

/**
 * Autovacuum does not see the rows that this transaction writes: in a table that was nearly empty it would find pages
 * without rows, and PostgreSQL would plan every check of a foreign key for none (docs/adr/0011). This lock keeps it off
 * until the transaction ends; it neither waits nor lets other writers wait. A table that is known to have more rows than
 * are to be written needs none, so that autovacuum always gets its turn.
 *
 * @param rows SQL of how many rows are to be written, at most
 */
export async function keepStatistics(client: PoolClient, table: string, rows: string): Promise<void> {
  await client.query(`DO $$ BEGIN
    IF (${knownRows(table)}) < ${rows} AND ${rows} >= ${MANY} THEN
      LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE NOWAIT;
    END IF;
  EXCEPTION WHEN lock_not_available THEN NULL; -- Another sync or autovacuum itself has it.
  END $$`);
}

/** SQL that selects how many rows statistics know of a table. */
export function knownRows(relation: string): string {
  return `SELECT reltuples FROM pg_class WHERE oid = '${relation}'::regclass`;
}
