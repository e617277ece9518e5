import type { Pool, PoolClient } from 'pg';
import { endsConnection } from '../errors/sql-errors';
import { streamOf } from './client-config';

/** Connections of a pool that statements share. */
export const SHARED_CONNECTIONS = 2;

/** Statements under way on one connection beyond which it is held up by something, such as a lock. */
const MOST_TOGETHER = 32;

interface Lease {
  readonly client: Promise<PoolClient>;
  users: number;
  /** The error that ended the connection. */
  lost: Error | undefined;
  /** Whether what is sent waits for the end of this turn of the event loop. */
  isHeld: boolean;
}

/**
 * Connections on which several statements are under way at once. Each is sent without waiting for those before it, and PostgreSQL
 * answers them in turn (docs/adr/0051-shared-connections.md). A slow one delays all behind it, and all fail if the connection is lost.
 */
export class SharedConnections {
  private leases: readonly Lease[] = [];

  /** @param pool whose connections accept several statements at once */
  constructor(private readonly pool: Pool) {}

  /** Whether further statements should not wait for those that are under way. */
  get isHeldUp(): boolean {
    const { leases } = this;
    return leases.length === SHARED_CONNECTIONS && leases.every(({ users }) => users >= MOST_TOGETHER);
  }

  /** Runs `work`, a single statement, on the connection with the fewest others. @throws what `work` throws */
  async run<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const lease = this.join();
    try {
      const client = await lease.client;
      hold(lease, client);
      return await work(client);
    } catch (error) {
      if (endsConnection(error)) {
        lease.lost = error as Error;
        this.remove(lease);
      }
      throw error;
    } finally {
      if (--lease.users === 0) this.giveBack(lease);
    }
  }

  private join(): Lease {
    if (this.leases.length < SHARED_CONNECTIONS)
      this.leases = [
        ...this.leases,
        { client: this.pool.connect(), users: 0, lost: undefined, isHeld: false },
      ];
    const lease = this.leases.reduce((least, one) => (one.users < least.users ? one : least));
    lease.users++;
    return lease;
  }

  private giveBack(lease: Lease): void {
    this.remove(lease);
    // A connection that could not be made has failed the statements that waited for it.
    void lease.client.then(
      (client) => client.release(lease.lost),
      () => undefined,
    );
  }

  /** Later statements get another connection. */
  private remove(lease: Lease): void {
    this.leases = this.leases.filter((one) => one !== lease);
  }
}

/** Sends the statements of one turn of the event loop together: a write to a socket costs far more than its bytes. */
function hold(lease: Lease, client: PoolClient): void {
  if (lease.isHeld) return;
  lease.isHeld = true;
  const stream = streamOf(client);
  stream.cork();
  setImmediate(() => {
    lease.isHeld = false;
    stream.uncork();
  });
}
