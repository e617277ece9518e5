import { Inject, Injectable } from '@nestjs/common';
import { Config } from '../ops/config';
import { BUDGETS } from './budgets';
import { DatabaseTime } from './database-time';
import { KeyedLimit } from './keyed-limit';

/** Connections of short transactions for each of longer ones: they wait for little but the disk, and do so together. */
export const SHORT_WRITES = 2;

/** Runs work and counts its time. */
export type Measured = <T>(work: () => Promise<T>) => Promise<T>;

/** Limit of a wait for a connection, equal to the statement timeout. Without it, an unreachable database fills the queue for minutes. */
const LINE = {
  waitMs: 30_000,
  refusal: () => Object.assign(new Error('No connection was free in time.'), { code: 'ETIMEDOUT' }),
};

/**
 * Shares of each pool of connections that one client may use at once. Work that must wait for longer than 30 s fails as
 * "unavailable".
 */
@Injectable()
export class ConnectionShares {
  private readonly reads: KeyedLimit;
  private readonly slots: KeyedLimit;
  private readonly shortSlots: KeyedLimit;

  constructor(
    @Inject(Config) { poolSize }: Pick<Config, 'poolSize'>,
    private readonly time: DatabaseTime,
  ) {
    const part = (share: number, size = poolSize): KeyedLimit =>
      new KeyedLimit(Math.max(1, Math.floor(size * share)), LINE);
    this.reads = part(BUDGETS.reads);
    this.slots = part(BUDGETS.transactions);
    this.shortSlots = part(BUDGETS.shortTransactions, poolSize * SHORT_WRITES);
  }

  /** Runs a read of one round trip. @param work counts its time on a connection with `measured` */
  read<T>(client: string, work: (measured: Measured) => Promise<T>): Promise<T> {
    return this.reads.run(client, () => work((timed) => this.time.measure(client, timed)));
  }

  /** Runs a transaction. @param work counts its time on a connection with `measured` */
  transaction<T>(client: string, work: (measured: Measured) => Promise<T>): Promise<T> {
    return this.slots.run(client, () => work((timed) => this.time.measure(client, timed)));
  }

  /** Runs a transaction of one round trip, whose time no budget counts. */
  shortTransaction<T>(client: string, work: (measured: Measured) => Promise<T>): Promise<T> {
    return this.shortSlots.run(client, () => work(this.unbudgeted));
  }

  /** Runs work whose time counts for its request only. */
  readonly unbudgeted: Measured = (work) => this.time.measure(undefined, work);
}
