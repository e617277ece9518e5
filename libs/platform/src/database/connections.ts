import type { Socket } from 'node:net';
import postgres, { Client, Pool, type PoolConfig } from 'pg';
import {
  DataSource,
  type DataSourceOptions,
  DefaultNamingStrategy,
  type NamingStrategyInterface,
} from 'typeorm';
import type { Logger } from 'pino';
import { clientConfig } from './client-config';
import { snakeCase } from '../input/field';
import { APP_ROLE } from './roles';
import { bounded, type DatabaseWatch, disallowLongStatements } from './database-watch';
import { entering, type Prelude } from './entered-query';
import { messageSocket } from './message-socket';

// Otherwise dates go in the zone of the process, whose offset is cut to minutes: those before standard time, and the
// year 1, would arrive as others than they were.
postgres.defaults.parseInputDatesAsUTC = true;

export interface PoolOptions {
  url: string;
  size: number;
  applicationName: string;
  /** Watch that ends silent connections; none if absent. */
  watch?: DatabaseWatch;
  /** Whether its connections accept several statements at once. */
  isShared?: boolean;
}

/** Returns a listener that logs the loss of an idle connection. Its pool replaces the connection. */
export const logLostConnection =
  (logger: Logger) =>
  (error: Error): void => {
    logger.warn({ code: (error as { code?: string }).code }, 'an idle database connection was lost');
  };

function poolConfig({ url, size, applicationName, isShared = false }: PoolOptions): PoolConfig {
  return {
    ...clientConfig(url, applicationName),
    pipeline: isShared,
    max: size,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    // Autovacuum cannot pass over the temporary tables that a connection keeps (StageTable), and PostgreSQL keeps transaction ids for them.
    maxLifetimeSeconds: 3_600,
  };
}

/**
 * Makes a pool for transactions of one round trip. Its connections have prepared the statement that enters a transaction.
 * It is separate from the pool of longer transactions, because reads and votes must not wait for long writes.
 *
 * @param preludes further statements that are sent before each statement
 */
export function createPipelinedPool(
  options: PoolOptions,
  onError: (error: Error) => void,
  preludes: readonly Prelude[] = [],
): Pool {
  const WatchedPool = watchedBy(options.watch);
  const pool = new WatchedPool({
    ...poolConfig(options),
    // `pg` calls it with its configuration.
    stream: messageSocket as () => Socket,
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool waits for it; its types do not say so
    onConnect: async (client) => {
      await client.query(entering([APP_ROLE, '', 'on', '']));
      for (const one of preludes) await client.query({ ...one, values: [...one.values] });
    },
  });
  pool.on('error', onError);
  return pool;
}

/** A pool whose connections are replaced at the next use when they are lost, and watched over from their beginning. */
function watchedBy(watch: DatabaseWatch | undefined): typeof Pool {
  const connection = watch?.connection ?? bounded(Client);
  return class extends Pool {
    constructor(config: PoolConfig) {
      super({ ...config, Client: connection as unknown as new () => Client });
      this.on('release', (_error, client) => disallowLongStatements(client));
    }
  };
}

/** snake_case of the property's name, which is the wire's name (design, "Schema rules"). */
class WireNames extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(property: string, customName: string | undefined): string {
    return customName ?? snakeCase(property);
  }
}

/** TypeORM on the pool of transactions. Never synchronises: the schema comes from `migrations/`. */
export function createDataSource(
  options: PoolOptions & { entities: DataSourceOptions['entities'] },
  onError: (error: Error) => void,
): DataSource {
  const { connectionString, max, ...extra } = poolConfig(options);
  return new DataSource({
    type: 'postgres',
    url: connectionString,
    poolSize: max,
    entities: options.entities,
    namingStrategy: new WireNames(),
    installExtensions: false,
    poolErrorHandler: onError,
    driver: { ...postgres, Pool: watchedBy(options.watch) },
    extra,
  });
}
