import pLimit from 'p-limit';
import { ByteBudget } from '../concurrency/byte-budget';
import { KeyedLimit } from '../concurrency/keyed-limit';
import { BODY_BYTES, SYNC_BODY_BYTES } from './limits';

/** Bulk requests that one process works on at once: each holds a connection of the pool. */
const AT_ONCE = 4;
/** Bodies of bulk requests that one process holds at once, read or being read. */
const BODIES_AT_ONCE = 3;

/**
 * Turns of bulk requests in one process: a tenant has one at a time, so that neither its bodies nor its transactions
 * crowd out other tenants. A request that waits has not been read yet: the sender's connection holds it back.
 */
export class BulkTurns {
  private readonly tenants = new KeyedLimit(1);
  private readonly bodies = new ByteBudget(BODIES_AT_ONCE * SYNC_BODY_BYTES);
  private readonly works = pLimit(AT_ONCE);

  /**
   * @param bytes the most that the body can take
   * @param read reads the body, however slowly it comes: others work meanwhile
   */
  take<T>(tenant: string, bytes: number, read: () => Promise<void>, work: () => Promise<T>): Promise<T> {
    const readThenWork = async (): Promise<T> => {
      await read();
      return this.works(work);
    };
    return this.tenants.run(tenant, () =>
      bytes <= BODY_BYTES ? readThenWork() : this.bodies.hold(bytes, readThenWork),
    );
  }
}
