import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION } from '#platform/database/sql-errors';

/** Retries after another request has written or removed a record between two statements. */
export const OVERTAKEN = { retryOn: [UNIQUE_VIOLATION, FOREIGN_KEY_VIOLATION] };

/** Syncs of one tenant, V1 and V2, run one at a time. */
export function turnOf(tenantId: string): string {
  return `sync ${tenantId}`;
}
