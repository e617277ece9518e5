/** A campaign of some tenant that the clock has something to do with. */
export interface DueCampagne {
  readonly tenantId: string;
  readonly id: string;
}

/**
 * Does the clock's work with campaigns of all tenants, one after the other. One that fails keeps no other waiting.
 *
 * @param isStopping asked before each campaign
 * @throws the first failure, once all have had their turn
 */
export async function eachDue(
  due: readonly DueCampagne[],
  isStopping: () => boolean,
  work: (tenantId: string, id: string) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const { tenantId, id } of due) {
    if (isStopping()) return;
    await work(tenantId, id).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
