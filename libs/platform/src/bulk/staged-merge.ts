import type { ColumnValue } from './presence';
import type { Stage } from './stage';
import type { StagedStatement } from './staged-statements';

/** How staged rows become rows of a table. */
export interface StagedMerge {
  readonly table: string;
  readonly stage: Stage;
  /** Column of the table → column of the stage. With `tenant_id` they are a unique key. */
  readonly key: Readonly<Record<string, string>>;
  /** Column of the table → SQL of its value, where `s` is the staged row and `t` the stored one. */
  readonly values: Readonly<Record<string, ColumnValue>>;
  /** Column that a change sets to the time of the write. */
  readonly changedColumn?: string;
  /** SQL condition on `s`; other staged rows are left out. */
  readonly where?: string;
  /** Columns whose null is a value: it is not counted as cleared. */
  readonly meaningfulNulls?: readonly string[];
  /** SQL condition on `old` and `new`: an update has ended the row, which is then not counted as changed. */
  readonly ended?: string;
  /** Columns of `merged` for `then`, as SQL. */
  readonly returning?: string;
  /** Further definitions of the statement's WITH. They may read `merged (action, …)`, the written rows. */
  readonly then?: string;
  /** Name of the definition in `then` whose rows are counted as `touched`. */
  readonly touched?: string;
}

/** Numbers of rows that a merge has written; stored rows without a change are in none of them. */
export interface MergeCounts {
  readonly created: number;
  readonly changed: number;
  readonly ended: number;
  /** Values of stored rows that were not null and are null now. */
  readonly cleared: number;
  readonly touched: number;
}

/** The counts of a merge of no rows. */
export const NO_ROWS: MergeCounts = { created: 0, changed: 0, ended: 0, cleared: 0, touched: 0 };

/**
 * Returns a statement that inserts and updates all staged rows, without rewriting unchanged rows. Rows are locked in the order
 * of the key if the join keeps it, which makes deadlocks with other requests rare.
 */
export function mergeOf(tenantId: string, merge: StagedMerge): StagedStatement<MergeCounts> {
  const keys = Object.entries(merge.key);
  const names = Object.keys(merge.values);
  const each = (give: (name: string) => string): string => names.map(give).join(', ');
  const stored = each((name) => `t.${name}`);
  const next = each((name) => merge.values[name]!.update);
  const changed = merge.changedColumn ? `, ${merge.changedColumn} = clock_timestamp()` : '';
  const cleared = names
    .filter((name) => !merge.meaningfulNulls?.includes(name))
    .map((name) => `(old.${name} IS NOT NULL AND new.${name} IS NULL)::int`);
  const isUpdate = `merge_action() = 'UPDATE'`;
  const text = `WITH merged AS (
       MERGE INTO ${merge.table} t
       USING (
         SELECT * FROM ${merge.stage.name} s ${merge.where ? `WHERE ${merge.where}` : ''}
         ORDER BY ${keys.map(([, staged]) => staged).join(', ')}
       ) s
       ON t.tenant_id = $1 AND ${keys.map(([column, staged]) => `t.${column} = s.${staged}`).join(' AND ')}
       WHEN MATCHED AND (${stored}) IS DISTINCT FROM (${next}) THEN
         UPDATE SET ${each((name) => `${name} = ${merge.values[name]!.update}`)}${changed}
       WHEN NOT MATCHED THEN
         INSERT (tenant_id, ${[...keys.map(([column]) => column), ...names].join(', ')})
         VALUES ($1, ${[...keys.map(([, staged]) => `s.${staged}`), ...names.map((name) => merge.values[name]!.insert)].join(', ')})
       RETURNING merge_action() AS action, (${isUpdate} AND ${merge.ended ?? 'false'}) IS TRUE AS has_ended,
         CASE WHEN ${isUpdate} THEN ${cleared.join(' + ')} END AS cleared${merge.returning ? `, ${merge.returning}` : ''}
     )${merge.then ? `, ${merge.then}` : ''}
     SELECT count(*) FILTER (WHERE action = 'INSERT')::int AS created,
       count(*) FILTER (WHERE action = 'UPDATE' AND NOT has_ended)::int AS changed,
       count(*) FILTER (WHERE has_ended)::int AS ended, coalesce(sum(cleared), 0)::int AS cleared,
       ${merge.touched ? `(SELECT count(*)::int FROM ${merge.touched})` : 0} AS touched
     FROM merged`;
  return {
    ...{ text, values: [tenantId], over: merge.stage },
    writes: { table: merge.table, rows: merge.stage.count },
  };
}
