import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { SHORT_WRITES } from '../limits/connection-shares';
import type { Config } from '../ops/config';
import type { Metrics } from '../ops/metrics';
import type { Reader } from '../ops/process-name';
import type { Connection } from './client-config';
import { createDataSource, createPipelinedPool, logLostConnection } from './connections';
import { DatabaseWatch } from './database-watch';
import { SHARED_CONNECTIONS, SharedConnections } from './shared-connections';
import { assertOwnsNothing, type LoginRights } from './service-login';

/** Connections of a worker's transactions for each of an API's: long ones of several clients run at once, and short ones beside. */
export const LONG_WORK = 3;

/**
 * Pools of connections for transactions of one round trip. `lookUps` is for reads of a few rows by an index. `access` is for keys, limits
 * and probes, which must not wait for the work of tenants.
 */
export interface Pools {
  readonly reads: Pool;
  readonly lookUps: SharedConnections;
  readonly shortWrites: Pool;
  readonly access: Pool;
}

/** The parameters of a process's connections. */
export interface ConnectionContext {
  readonly config: Config;
  readonly processName: Reader;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly entities: DataSourceOptions['entities'];
  readonly connection: Connection;
}

/** The connections of this process to one database. They are made at their first use. */
export class Database {
  readonly pools: Pools;
  private readonly allPools: Pool[] = [];
  private readonly dataSource: DataSource;
  /** Watches over its connections, and over those of the queue. */
  readonly watch: DatabaseWatch;
  private initialized: Promise<DataSource> | undefined;
  private checked: Promise<void> | undefined;

  /** @param cell its name in metrics and messages; undefined for the database of DATABASE_URL */
  constructor(
    readonly url: string,
    readonly cell: string | undefined,
    private readonly context: ConnectionContext,
  ) {
    const { config, processName, logger, metrics, entities, connection } = context;
    this.watch = new DatabaseWatch(url, processName, logger, connection);
    const options = { url, applicationName: `mandat ${processName}`, watch: this.watch };
    const onLoss = logLostConnection(logger);
    const make = (name: string, size: number, isShared = false): Pool => {
      const pool = createPipelinedPool({ ...options, size, isShared }, onLoss);
      metrics.watchPool(this.label + name, pool);
      this.allPools.push(pool);
      return pool;
    };
    this.pools = {
      reads: make('reads', config.poolSize),
      lookUps: new SharedConnections(make('look-ups', SHARED_CONNECTIONS, true)),
      // A worker takes no votes: it only removes dead rows on them.
      shortWrites: make('short writes', processName === 'worker' ? 1 : config.poolSize * SHORT_WRITES),
      access: make('access', config.poolSize),
    };
    const transactions = config.poolSize * (processName === 'worker' ? LONG_WORK : 1);
    this.dataSource = createDataSource({ ...options, size: transactions, entities }, onLoss);
  }

  /** Calls `listener` when an idle connection is lost. */
  onLoss(listener: (error: Error) => void): void {
    for (const pool of this.allPools) pool.on('error', listener);
  }

  /** TypeORM on its pool of transactions, connected. A failure is tried again by the next caller. */
  connected(): Promise<DataSource> {
    this.initialized ??= this.initialize().catch((error: unknown) => {
      this.initialized = undefined;
      throw error;
    });
    return this.initialized;
  }

  /**
   * Checks the login once, in production: it must not be able to bypass the roles of the processes. A failure is tried again by
   * the next caller.
   *
   * @throws ConfigError
   */
  check(): Promise<void> {
    this.checked ??= this.checkLogin().catch((error: unknown) => {
      this.checked = undefined;
      throw error;
    });
    return this.checked;
  }

  private async checkLogin(): Promise<void> {
    if (!this.context.config.production) return;
    const { access } = this.pools;
    const name = this.cell === undefined ? 'DATABASE_URL' : `the cell or standby ${this.cell}`;
    await assertOwnsNothing(async (text) => (await access.query<LoginRights>(text)).rows, name);
  }

  /** Prefix of the names of its pools in metrics. */
  private get label(): string {
    return this.cell === undefined ? '' : `${this.cell} `;
  }

  private async initialize(): Promise<DataSource> {
    await this.dataSource.initialize();
    const { master } = this.dataSource.driver as unknown as { master: Pool };
    this.context.metrics.watchPool(`${this.label}transactions`, master);
    return this.dataSource;
  }

  async close(): Promise<void> {
    await Promise.all([
      ...(this.dataSource.isInitialized ? [this.dataSource.destroy()] : []),
      ...this.allPools.map((pool) => pool.end()),
    ]);
    // Last: it ends connections that would keep a pool from closing.
    this.watch.stop();
  }
}
