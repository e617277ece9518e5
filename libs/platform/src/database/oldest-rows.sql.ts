/** Maximum rows that one statement of a purge removes, because a large backlog would exceed the statement timeout. */
export const PURGE_BATCH = 1_000;

/**
 * SELECT of the oldest expired rows of the data spaces of $1, at most $2: each space that has any gets an equal part, so none keeps
 * the rows of others waiting. Needs an index by tenant and date. `place` counts the rows of each space.
 *
 * @param columns columns that the rows have beside `tenant_id` and `place`
 */
export function oldestRows(table: string, columns: string, date: string, age: string): string {
  const expired = (space: string): string =>
    `${table} WHERE tenant_id = ${space} AND ${date} < now() - interval '${age}'`;
  return `
    WITH due AS MATERIALIZED (
      SELECT s.id FROM unnest($1::uuid[]) s (id)
      CROSS JOIN LATERAL (SELECT FROM ${expired('s.id')} LIMIT 1) found
    )
    SELECT oldest.* FROM due CROSS JOIN LATERAL (
      SELECT tenant_id, ${columns}, row_number() OVER (ORDER BY ${date}) AS place FROM ${expired('due.id')}
      ORDER BY ${date} LIMIT greatest(1, $2::int / (SELECT count(*) FROM due))
    ) oldest LIMIT $2`;
}
