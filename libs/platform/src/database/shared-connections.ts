import type { Pool, PoolClient } from 'pg';
import { endsConnection, isUnprepared } from '../errors/sql-errors';
import { BUDGETS } from '../limits/budgets';
import { streamOf } from './client-config';
import { cut } from './database-watch';

/** Connections of a pool that statements share. */
export const SHARED_CONNECTIONS = 2;

/** Interval of checks, in ms. Silence is counted in checks, so a delayed process does not misjudge a connection. */
const LOOK_MS = 250;

/** Checks without a response after which a connection is held up, for example by a lock: 1 s. */
const HELD_UP_LOOKS = 4;

/** Time without shared connections after that, in ms. */
const PAUSE_MS = 5_000;

interface Lease {
  readonly client: Promise<PoolClient>;
  /** Set when the connection is made. */
  connection: PoolClient | undefined;
  users: number;
  /** Checks since the last response. */
  silent: number;
  /** Why the connection takes no further statements. */
  failure: Error | undefined;
  /** Whether what is sent waits for the end of this turn of the event loop. */
  isCorked: boolean;
}

/**
 * Connections on which several statements are under way at once. Each is sent without waiting for those before it, and PostgreSQL
 * answers them in turn (docs/adr/0051-shared-connections.md).
 */
export class SharedConnections {
  private readonly leases = new Set<Lease>();
  private readonly ofClients = new Map<string, number>();
  private pausedUntil = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  /** @param pool whose connections accept several statements at once */
  constructor(private readonly pool: Pool) {}

  /**
   * Runs `work`, a single statement that only reads.
   *
   * @param client whose statements are counted
   * @param instead does the same on a connection of its own, if there is no place here or the statement gets no response
   * @throws what `work` or `instead` throws
   */
  async run<T>(
    client: string,
    work: (connection: PoolClient) => Promise<T>,
    instead: () => Promise<T>,
  ): Promise<T> {
    const lease = this.join(client);
    const answer = lease && (await this.shared(lease, client, work));
    return answer ? answer.value : instead();
  }

  /** @returns undefined if the statement got no response */
  private async shared<T>(
    lease: Lease,
    client: string,
    work: (connection: PoolClient) => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    try {
      lease.connection = await lease.client;
      cork(lease, lease.connection);
      return { value: await work(lease.connection) };
    } catch (error) {
      // The connection may lack the statement that failed, and a pooler refuses to prepare it again.
      lease.failure ??= error as Error;
      if (lease.connection && (endsConnection(error) || isUnprepared(error))) return undefined;
      throw error;
    } finally {
      this.leave(lease, client);
    }
  }

  /** Returns the connection with the fewest statements; undefined if there is no place. */
  private join(client: string): Lease | undefined {
    const own = this.ofClients.get(client) ?? 0;
    if (own >= BUDGETS.lookUps || performance.now() < this.pausedUntil) return undefined;
    const usable = [...this.leases].filter(({ failure }) => !failure);
    if (this.leases.size < SHARED_CONNECTIONS) usable.unshift(this.open());
    const lease = usable.reduce<Lease | undefined>(
      (least, one) => (least && least.users <= one.users ? least : one),
      undefined,
    );
    if (!lease) return undefined;
    lease.users++;
    this.ofClients.set(client, own + 1);
    return lease;
  }

  private open(): Lease {
    const lease: Lease = {
      client: this.pool.connect(),
      connection: undefined,
      users: 0,
      silent: 0,
      failure: undefined,
      isCorked: false,
    };
    this.leases.add(lease);
    this.timer ??= setInterval(() => this.look(), LOOK_MS).unref();
    return lease;
  }

  private leave(lease: Lease, client: string): void {
    lease.silent = 0;
    const others = this.ofClients.get(client)! - 1;
    if (others > 0) this.ofClients.set(client, others);
    else this.ofClients.delete(client);
    if (--lease.users > 0) return;
    this.leases.delete(lease);
    if (this.leases.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    lease.connection?.release(lease.failure);
  }

  /** Cuts connections that are held up. Their statements are sent again, each on a connection of its own. */
  private look(): void {
    for (const lease of this.leases) {
      if (!lease.connection || ++lease.silent < HELD_UP_LOOKS) continue;
      this.pausedUntil = performance.now() + PAUSE_MS;
      cut(lease.connection);
    }
  }
}

/** Sends the statements of one turn of the event loop together: a write to a socket costs far more than its bytes. */
function cork(lease: Lease, connection: PoolClient): void {
  if (lease.isCorked) return;
  lease.isCorked = true;
  const stream = streamOf(connection);
  stream.cork();
  setImmediate(() => {
    lease.isCorked = false;
    stream.uncork();
  });
}
