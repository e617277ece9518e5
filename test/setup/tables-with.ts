import type { Client } from 'pg';

/** Returns the tables of every schema that contain one of some texts. A file that searches has its own database (`TestApp.own`). */
export async function tablesWith(database: Client, texts: readonly string[]): Promise<string[]> {
  // Temporary tables of other connections cannot be read, and vanish.
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname <> 'information_schema' AND NOT starts_with(schemaname, 'pg_')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.query(
      `SELECT FROM ${name} t WHERE EXISTS (SELECT FROM unnest($1::text[]) s WHERE strpos(t::text, s) > 0) LIMIT 1`,
      [texts],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}
