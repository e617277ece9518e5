import type { Client } from 'pg';

/** Returns the position from which `tablesWith` searches: all later writes have it or a later one. */
export async function positionOf(database: Client): Promise<string> {
  const { rows } = await database.query<{ xid: string }>(
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::xid::text AS xid',
  );
  return rows[0]!.xid;
}

/** Returns the tables of every schema with a row, written since a position, that contains one of some texts. */
export async function tablesWith(
  database: Client,
  since: string,
  texts: readonly string[],
): Promise<string[]> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname <> 'information_schema' AND NOT starts_with(schemaname, 'pg_')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.query(
      `SELECT FROM ${name} t WHERE age(t.xmin) <= age($2::xid)
         AND EXISTS (SELECT FROM unnest($1::text[]) s WHERE strpos(t::text, s) > 0) LIMIT 1`,
      [texts, since],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}
