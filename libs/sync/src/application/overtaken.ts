import type { Transactions } from '#platform/database/transactions';
import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION } from '#platform/errors/sql-errors';

/** Retries after another request has written or removed a record between two statements. */
export const OVERTAKEN = { retryOn: [UNIQUE_VIOLATION, FOREIGN_KEY_VIOLATION] };

/** Runs `work` in a transaction that waits for the syncs of a tenant and holds up further ones. */
export function afterSyncs<T>(
  transactions: Transactions,
  tenantId: string,
  work: () => Promise<T>,
): Promise<T> {
  const locked = async (): Promise<T> => {
    await transactions.lockByName(syncLockOf(tenantId));
    return work();
  };
  return transactions.run({ tenantId }, locked, OVERTAKEN);
}

/** Name of the lock that a sync of a tenant holds. A tenant's syncs, V1 and V2, therefore run one at a time. */
export function syncLockOf(tenantId: string): string {
  return `sync ${tenantId}`;
}
