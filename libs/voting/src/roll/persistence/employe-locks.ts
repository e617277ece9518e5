import { EMPLOYES, lockEmployes } from '#membership/relations';
import type { Transactions } from '#platform/database/transactions';
import { Overtaken } from '#platform/errors/sql-errors';

/**
 * Locks the employees that a request names against deletion and renaming until the ambient transaction ends.
 *
 * @param ids SQL of their external identifiers, with the parameters from `$2` on
 * @throws Overtaken if one of the identifiers has become another employee's meanwhile
 */
export async function lockNamed(
  transactions: Transactions,
  tenantId: string,
  ids: string,
  parameters: readonly unknown[] = [],
): Promise<void> {
  const values = [tenantId, ...parameters];
  const locked = await transactions.value<number>(
    `WITH locked AS (${lockEmployes(ids)}) SELECT count(*)::int FROM locked`,
    values,
  );
  // A statement of its own, because it sees what a renaming has written that the locks waited for.
  const known = await transactions.value<number>(
    `SELECT count(*)::int FROM ${EMPLOYES} e WHERE e.tenant_id = $1 AND e.id_externe IN (${ids})`,
    values,
  );
  if (locked !== known) throw new Overtaken();
}

/** `lockNamed` for thousands of identifiers. Without statistics, PostgreSQL would read all of them for each employee. */
export async function lockManyNamed(...named: Parameters<typeof lockNamed>): Promise<void> {
  const client = named[0].client();
  await client.query('SET LOCAL enable_nestloop = off');
  await lockNamed(...named);
  await client.query('RESET enable_nestloop');
}
