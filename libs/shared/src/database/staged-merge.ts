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
