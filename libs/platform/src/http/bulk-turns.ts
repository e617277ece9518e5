import pLimit from 'p-limit';
import { BodyBytes } from '../ops/body-bytes';
import { BUDGETS } from '../ops/budgets';
import { KeyedLimit } from '../ops/keyed-limit';
import type { Take } from './body-arrival';
import { SYNC_BODY_BYTES } from '../input/limits';

/** Bulk requests that one process works on at once: each holds a connection of the pool. */
const AT_ONCE = 4;

/**
 * Turns of bulk requests in one process: a tenant has one at a time, so that neither its bodies nor its transactions
 * crowd out other tenants. A request that waits has not been read yet: the sender's connection holds it back.
 */
export class BulkTurns {
  private readonly tenants = new KeyedLimit(BUDGETS.syncs);
  private readonly bodies = new BodyBytes(BUDGETS.syncBytes, SYNC_BODY_BYTES);
  private readonly works = pLimit(AT_ONCE);

  /** @param read reads the body, however slowly it comes, and takes its bytes by `take`: others work meanwhile */
  take<T>(tenant: string, read: (take: Take) => Promise<void>, work: () => Promise<T>): Promise<T> {
    return this.tenants.run(tenant, async () => {
      const share = this.bodies.begin();
      try {
        await read((bytes) => this.bodies.take(share, bytes));
        this.bodies.arrived(share);
        return await this.works(work);
      } finally {
        this.bodies.end(share);
      }
    });
  }
}
