import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { DataSourceOptions } from 'typeorm';
import { Config, ConfigError, PRINCIPAL } from '../ops/config';
import { LOGGER } from '../ops/logger';
import { Metrics } from '../ops/metrics';
import { PROCESS_NAME, type Reader } from '../ops/process-name';
import { type ConnectionContext, Database } from './database';
import { Standbys } from './standbys';

/** TypeORM entities of the process. */
export const ENTITIES = Symbol('entities');

/** How long a process may use the cell of a space that it knows, in ms. A request's key is looked up more often. */
const KNOWN_MS = 5_000;

/** Maximum number of spaces whose cells and clients are kept. */
const MOST_KNOWN = 100_000;

/** Where a space lives, and the client that it belongs to. */
export interface Whereabouts {
  readonly cell: string;
  readonly clientId: string;
}

/**
 * The databases of the service (docs/adr/0036). The directory has clients, keys and limits. Each data space lives whole in
 * one cell; without CELLS the directory is the only cell.
 */
@Injectable()
export class Databases implements OnModuleInit, OnApplicationShutdown {
  readonly directory: Database;
  /** The names of the cells, in the order of CELLS. */
  readonly names: readonly string[];
  /** By name. `principal` is always one, because the directory has the data spaces that are older than CELLS. */
  private readonly cells: ReadonlyMap<string, Database>;
  /** The standbys of the databases that have any. */
  readonly standbys: ReadonlyMap<Database, Standbys>;
  private find: ((space: string) => Promise<Whereabouts | undefined>) | undefined;
  /** Names of the cells of spaces. Concurrent look-ups of a space are one statement. */
  private readonly known = new LRUCache<string, string>({
    ...{ max: MOST_KNOWN, ttl: KNOWN_MS },
    fetchMethod: async (space) => (await this.find?.(space))?.cell ?? PRINCIPAL,
    // Callers that wait for a look-up get its result, even if `know` stores the space meanwhile.
    ignoreFetchAbort: true,
  });
  /** The clients of spaces. A space never changes its client, and an unknown one is looked up again. */
  private readonly clients = new LRUCache<string, string>({
    max: MOST_KNOWN,
    fetchMethod: async (space) => (await this.find?.(space))?.clientId,
    ignoreFetchAbort: true,
  });

  constructor(
    private readonly config: Config,
    @Inject(PROCESS_NAME) processName: Reader,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
    @Inject(ENTITIES) entities: DataSourceOptions['entities'],
  ) {
    const context: ConnectionContext = { config, processName, logger, metrics, entities };
    this.directory = new Database(config.databaseUrl, undefined, context);
    this.names = [...config.cells.keys()];
    const made = [...config.cells].map(
      ([name, url]) =>
        [name, url === config.databaseUrl ? this.directory : new Database(url, name, context)] as const,
    );
    this.cells = new Map([[PRINCIPAL, this.directory], ...made]);
    const withStandbys = [...new Set(this.cells.values())].flatMap((database) => {
      const urls = config.standbys.get(database.url);
      return urls ? [[database, new Standbys(database, urls, context)] as const] : [];
    });
    this.standbys = new Map(withStandbys);
  }

  /**
   * Connects to the directory and, in the worker, to its cell: the process cannot work without them. In production, stops
   * the start if a login could bypass the roles of the processes.
   */
  async onModuleInit(): Promise<void> {
    for (const database of new Set([this.directory, this.own])) {
      await database.connected();
      await database.check();
    }
  }

  /** Closes the connections after the last request has been answered and the queue has stopped. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.standbys.values()].map((one) => one.close()));
    await Promise.all([...new Set(this.cells.values())].map((one) => one.close()));
  }

  /** Sets how a data space is found; undefined for spaces of the directory. */
  locateBy(find: (space: string) => Promise<Whereabouts | undefined>): void {
    this.find = find;
  }

  /**
   * Stores where a data space lives and its client, which the look-up of a key returns as well.
   *
   * @param since when the look-up began, by `performance.now()`: the answer may be used for 5 s from then
   */
  know(space: string, { cell, clientId }: Whereabouts, since: number): void {
    this.known.set(space, cell, { start: since });
    this.clients.set(space, clientId);
  }

  /**
   * The client of a space, by which budgets and turns are shared out: one client may have several spaces. A space that belongs
   * to none, such as a client as a whole, stands for itself.
   */
  async clientOf(space: string): Promise<string> {
    return (await this.clients.fetch(space)) ?? space;
  }

  /** Whether a name is that of a cell. */
  has(name: string): boolean {
    return this.cells.has(name);
  }

  /** The cell of the worker; of other processes the directory. */
  get own(): Database {
    return this.config.workerCell === undefined ? this.directory : this.cell(this.config.workerCell);
  }

  /** The names of `own`. */
  get ownNames(): readonly string[] {
    return [...this.cells].filter(([, database]) => database === this.own).map(([name]) => name);
  }

  /** @throws Error that counts as "unavailable" if CELLS does not name the cell */
  cell(name: string): Database {
    return this.cells.get(name) ?? unavailable(`CELLS does not name the cell ${name}.`);
  }

  /** The database of a space: its cell if it is a data space, the directory if it is a client as a whole. */
  async of(space: string): Promise<Database> {
    const cell = await this.known.forceFetch(space);
    const database = this.cell(cell);
    await database.check().catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      this.logger.error({ cell }, error.message);
      unavailable(error.message);
    });
    return database;
  }
}

/** Throws an error that counts as an unreachable database. */
function unavailable(message: string): never {
  throw Object.assign(new Error(message), { code: 'ECONNREFUSED' });
}
