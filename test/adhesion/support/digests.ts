import type { Client } from 'pg';

/** Tables that change with every request, whatever becomes of it: keys note when they were used, and calls are counted. */
const APART = ['cle', 'rate_window'];

/** A digest of all rows of each table: the same as long as nothing is written. */
export async function digests(database: Client): Promise<ReadonlyMap<string, string>> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> ALL ($1)`,
    [APART],
  );
  const parts = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, coalesce(string_agg(digest, '' ORDER BY digest), '') AS digest
       FROM (SELECT md5(t::text) AS digest FROM ${name} t) each_row`,
  );
  const { rows } = await database.query<{ name: string; digest: string }>(parts.join(' UNION ALL '));
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** The tables whose rows are not what they were. */
export function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after].filter(([table, digest]) => digest !== before.get(table)).map(([table]) => table);
}
