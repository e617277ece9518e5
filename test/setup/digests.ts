import type { TestApp } from './test-app';

/** Tables that change with every request: the last use of keys, the counts of calls, the positions of the last writes, and running work. */
const APART = ['cle', 'rate_window', 'derniere_ecriture', 'travail_en_cours'];

/**
 * Returns a digest of each table, which stays the same until a row is written: the number of its rows, and the sum of
 * the transactions that wrote them. Each write has a later transaction. In tables of data spaces only the rows of the
 * file's tenants count, because its requests reach no others.
 */
export async function digests({ database, tenantIds }: TestApp): Promise<ReadonlyMap<string, string>> {
  if (tenantIds.length === 0) throw new Error('The file has made no tenant by TestApp.tenant.');
  const { rows: tables } = await database.query<{ name: string; scoped: boolean }>(
    `SELECT relname AS name, EXISTS (
       SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tenant_id' AND NOT attisdropped
     ) AS scoped
     FROM pg_class c
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> ALL ($1)
     ORDER BY relname`,
    [APART],
  );
  const parts = tables.map(
    ({ name, scoped }) =>
      `SELECT '${name}' AS name, count(*) || ' ' || sum(xmin::text::bigint) AS digest FROM ${name} ${scoped ? 'WHERE tenant_id = ANY ($1)' : ''}`,
  );
  // Planning it takes longer than reading, so the connection prepares it; parallel processes would open all tables, too.
  await database.query('SET max_parallel_workers_per_gather = 0');
  const { rows } = await database.query<{ name: string; digest: string }>({
    name: `digests of ${tables.length}`,
    text: parts.join(' UNION ALL '),
    values: [tenantIds],
  });
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** Returns the tables whose rows have changed. */
export function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after].filter(([table, digest]) => digest !== before.get(table)).map(([table]) => table);
}

/** Asserts that `work` writes no row of any table. */
export async function unchanged<T>(app: TestApp, work: () => Promise<T>): Promise<T> {
  const before = await digests(app);
  const done = await work();
  expect(changed(before, await digests(app))).toEqual([]);
  return done;
}
