import pLimit, { type LimitFunction } from 'p-limit';

/** Bulk requests that one process works on at once: each holds its body and a connection of the pool. */
const AT_ONCE = 4;

/**
 * Turns of bulk requests in one process: a tenant has one at a time, so that neither its bodies nor its transactions
 * crowd out other tenants. A request that waits has not been read yet: the sender's connection holds it back.
 */
export class BulkTurns {
  private readonly all = pLimit(AT_ONCE);
  private readonly byTenant = new Map<string, LimitFunction>();

  async take<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const own = this.byTenant.get(tenant) ?? pLimit(1);
    this.byTenant.set(tenant, own);
    try {
      return await own(() => this.all(work));
    } finally {
      if (own.activeCount + own.pendingCount === 0) this.byTenant.delete(tenant);
    }
  }
}
