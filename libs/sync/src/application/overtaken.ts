import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION } from '#platform/errors/sql-errors';

/** Retries after another request has written or removed a record between two statements. */
export const OVERTAKEN = { retryOn: [UNIQUE_VIOLATION, FOREIGN_KEY_VIOLATION] };

/** Name of the lock that a sync of a tenant holds. A tenant's syncs, V1 and V2, therefore run one at a time. */
export function syncLockOf(tenantId: string): string {
  return `sync ${tenantId}`;
}
