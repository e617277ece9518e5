import { BodyBytes } from './body-bytes';
import { BUDGETS } from './budgets';
import { KeyedLimit } from './keyed-limit';
import type { Take } from './body-arrival';
import { SYNC_BODY_BYTES } from './request-sizes';
import { Semaphore } from './semaphore';

/** Maximum number of bulk requests that one process handles at once. Each one uses a connection of the pool. */
const AT_ONCE = 4;

/**
 * Slots for bulk requests in one process. A client has one at a time, because its bodies and transactions would otherwise
 * crowd out other clients. The body of a waiting request is not read, so its sender is held back by its connection.
 */
export class BulkSlots {
  private readonly clients = new KeyedLimit(BUDGETS.syncs);
  private readonly bodies = new BodyBytes(BUDGETS.syncBytes, SYNC_BODY_BYTES);
  private readonly works = new Semaphore(AT_ONCE);

  /**
   * @param read reads the body and calls `take` for its bytes. Other requests proceed while a slow body arrives.
   * @param send sends the result. The client's next request waits for it, because the errors of a sync are in memory; other
   * clients do not.
   */
  run<T>(
    client: string,
    read: (take: Take) => Promise<void>,
    work: () => Promise<T>,
    send: (result: T) => Promise<void>,
  ): Promise<void> {
    return this.clients.run(client, async () => send(await this.done(read, work)));
  }

  private async done<T>(read: (take: Take) => Promise<void>, work: () => Promise<T>): Promise<T> {
    const share = this.bodies.begin();
    try {
      await read((bytes) => this.bodies.take(share, bytes));
      this.bodies.arrived(share);
      return await this.works.run(work);
    } finally {
      this.bodies.end(share);
    }
  }
}
