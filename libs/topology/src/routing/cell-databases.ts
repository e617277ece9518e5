import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { DataSourceOptions } from 'typeorm';
import { type ConnectionContext, Database } from '#platform/database/database';
import type { Cells, Databases, Reading, Whereabouts } from '#platform/database/databases';
import { ADMINISTRATION, OWN_CELL, type Scope, spaceOf } from '#platform/database/scope';
import { ConfigError } from '#platform/ops/config-error';
import { Config, PRINCIPAL } from '#platform/ops/config';
import { LOGGER } from '#platform/ops/logger';
import { Metrics } from '#platform/ops/metrics';
import { atMost } from '#platform/limits/at-most';
import { PROCESS_NAME, type Reader } from '#platform/ops/process-name';
import { tracedBy } from '#platform/database/traced-connection';
import { Spans } from '#platform/ops/spans';
import { PrimaryClient } from './primary';
import { StandbyReading, Standbys } from './standbys';

/** TypeORM entities of the process. */
export const ENTITIES = Symbol('entities');

/** How long a process may use the cell of a space that it knows, in ms. A request's key is looked up more often. */
const KNOWN_MS = 5_000;

/** Maximum number of spaces whose cells and clients are kept. */
const MOST_KNOWN = 100_000;

/**
 * The databases of the service (docs/adr/0036). The directory has clients, keys and limits. Each data space lives whole in
 * one cell; without CELLS the directory is the only cell.
 */
@Injectable()
export class CellDatabases implements Databases, Cells, OnModuleInit, OnApplicationShutdown {
  private readonly directory: Database;
  readonly names: readonly string[];
  /** Databases of the cells, by name. `principal` is always one, because the directory has the data spaces that are older than CELLS. */
  private readonly cells: ReadonlyMap<string, Database>;
  /** The standbys of the databases that have any. */
  private readonly standbys: ReadonlyMap<Database, Standbys>;
  private find: ((space: string) => Promise<Whereabouts | undefined>) | undefined;
  /** Names of the cells of spaces. Concurrent look-ups of a space are one statement. */
  private readonly known = new LRUCache<string, string>({
    ...atMost(MOST_KNOWN),
    ttl: KNOWN_MS,
    fetchMethod: async (space) => (await this.find?.(space))?.cell ?? PRINCIPAL,
    // Callers that wait for a look-up get its result, even if `know` stores the space meanwhile.
    ignoreFetchAbort: true,
  });
  /** The clients of spaces. A space never changes its client, and an unknown one is looked up again. */
  private readonly clients = new LRUCache<string, string>({
    ...atMost(MOST_KNOWN),
    fetchMethod: async (space) => (await this.find?.(space))?.clientId,
    ignoreFetchAbort: true,
  });

  constructor(
    private readonly config: Config,
    @Inject(PROCESS_NAME) processName: Reader,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
    spans: Spans,
    @Inject(ENTITIES) entities: DataSourceOptions['entities'],
  ) {
    const context: ConnectionContext = {
      ...{ config, processName, logger, metrics, entities },
      connection: tracedBy(spans, PrimaryClient),
    };
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

  know(space: string, { cell, clientId }: Whereabouts, since: number): void {
    this.known.set(space, cell, { start: since });
    this.clients.set(space, clientId);
  }

  async clientOf(space: string): Promise<string> {
    return (await this.clients.fetch(space)) ?? space;
  }

  has(name: string): boolean {
    return this.cells.has(name);
  }

  get own(): Database {
    return this.config.workerCell === undefined ? this.directory : this.cell(this.config.workerCell);
  }

  get ownNames(): readonly string[] {
    return [...this.cells].filter(([, database]) => database === this.own).map(([name]) => name);
  }

  of(scope: Scope): Database | Promise<Database> {
    if (scope === ADMINISTRATION) return this.directory;
    if (scope === OWN_CELL) return this.own;
    return 'cell' in scope ? this.cell(scope.cell) : this.databaseOf(spaceOf(scope));
  }

  reading(): Reading {
    return new StandbyReading(this.standbys);
  }

  async wrote(database: Database, scopes: readonly Scope[]): Promise<void> {
    const standbys = this.standbys.get(database);
    if (!standbys) return;
    // Includes data spaces whose settings an administrator changed.
    const spaces = scopes.map(spaceOf).filter((space) => space !== '');
    await Promise.all(spaces.map((space) => standbys.wrote(space)));
  }

  private cell(name: string): Database {
    return this.cells.get(name) ?? unavailable(`CELLS does not name the cell ${name}.`);
  }

  /** The database of a space: its cell if it is a data space, the directory if it is a client as a whole. */
  private async databaseOf(space: string): Promise<Database> {
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
