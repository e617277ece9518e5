import type { Client } from 'pg';

/** Tables that change with every request: the last use of keys, the counts of calls, the positions of the last writes, and running work. */
const APART = ['cle', 'rate_window', 'derniere_ecriture', 'travail_en_cours'];

/**
 * Returns a digest of each table, which stays the same until a row is written: the number of its rows, and the sum of
 * the transactions that wrote them. Each write has a later transaction.
 */
export async function digests(database: Client): Promise<ReadonlyMap<string, string>> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> ALL ($1)
     ORDER BY relname`,
    [APART],
  );
  const parts = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*) || ' ' || sum(xmin::text::bigint) AS digest FROM ${name}`,
  );
  // Planning it takes longer than reading, so the connection prepares it.
  const { rows } = await database.query<{ name: string; digest: string }>({
    name: `digests of ${tables.length}`,
    text: parts.join(' UNION ALL '),
  });
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** Returns the tables whose rows have changed. */
export function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after].filter(([table, digest]) => digest !== before.get(table)).map(([table]) => table);
}
