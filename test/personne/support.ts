import type { TestApp } from '../setup/test-app';

/** Rows of every table of every schema but PostgreSQL's own, as a dump has them: the text of each row by table. */
export async function dump(app: TestApp): Promise<Map<string, string[]>> {
  const { rows: tables } = await app.database.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' ORDER BY 1`,
  );
  const dumped = new Map<string, string[]>();
  for (const { name } of tables) {
    const { rows } = await app.database.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    dumped.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  return dumped;
}

/** Tables with rows that hold one of the texts: as it is, escaped as in JSON, or as bytes. */
export function tracesOf(texts: readonly string[], dumped: ReadonlyMap<string, readonly string[]>): string[] {
  const forms = texts.flatMap((text) => [
    text.toLowerCase(),
    JSON.stringify(text).slice(1, -1).toLowerCase(),
    encodeURIComponent(text).toLowerCase(),
    Buffer.from(text).toString('hex'),
    Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1).toLowerCase(),
  ]);
  return [...dumped]
    .filter(([, rows]) => rows.some((row) => forms.some((form) => row.toLowerCase().includes(form))))
    .map(([table]) => table);
}
