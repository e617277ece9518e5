import postgres, { type Client, type ClientConfig, Pool, type PoolConfig } from 'pg';
import {
  DataSource,
  type DataSourceOptions,
  DefaultNamingStrategy,
  type NamingStrategyInterface,
} from 'typeorm';
import { type DatabaseWatch, disallowLongStatements, WatchedClient } from './database-watch';
import { ENTER, type Prelude } from './entered-query';

// Otherwise dates go in the zone of the process, whose offset is cut to minutes: those before standard time, and the
// year 1, would arrive as others than they were.
postgres.defaults.parseInputDatesAsUTC = true;

/** The role under which all requests run: it owns nothing, bypasses nothing and sees one tenant at a time. */
export const APP_ROLE = 'mandat_app';

/** The role that reads clients and keys and sees no tenant's data. */
export const ACCESS_ROLE = 'mandat_access';

/** The role of the queue, which reaches jobs and no data of tenants. */
export const QUEUE_ROLE = 'mandat_queue';

/** The role of erasures: the application's, with rights to remove what nothing else removes. */
export const ERASURE_ROLE = 'mandat_effacement';

/** The role whose functions count ballots; no process acts as it. */
export const BALLOT_BOX_ROLE = 'mandat_urne';

/** A statement that runs longer is cancelled and answered as 503 (docs/contract.md, "Limits"). */
const STATEMENT_TIMEOUT_MS = 30_000;

/** A server that hears nothing of us, not even from the system below, takes back locks and connection within half a minute. */
const SERVER_PROBES = [
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=25000',
];

/** Settings of every connection; roles and time limits hold even for a statement outside any transaction of ours. */
const CONNECTION_OPTIONS = [
  `role=${APP_ROLE}`,
  `statement_timeout=${STATEMENT_TIMEOUT_MS}`,
  'lock_timeout=20000',
  'idle_in_transaction_session_timeout=60000',
  // Incremental reads rely on it: a reader that overlaps by two minutes misses no change that was committed late.
  'transaction_timeout=110000',
  'timezone=UTC',
  // Compiling a plan costs more than any of our statements gains by it.
  'jit=off',
  ...SERVER_PROBES,
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

export interface PoolOptions {
  url: string;
  size: number;
  applicationName: string;
  /** Watch that ends silent connections; none if absent. */
  watch?: DatabaseWatch;
}

/** Options of a connection. */
export function clientConfig(url: string, applicationName: string): ClientConfig {
  return {
    connectionString: url,
    keepAlive: true,
    // Otherwise after two hours.
    keepAliveInitialDelayMillis: 5_000,
    options: CONNECTION_OPTIONS,
    application_name: applicationName,
  };
}

function poolConfig({ url, size, applicationName }: PoolOptions): PoolConfig {
  return {
    ...clientConfig(url, applicationName),
    max: size,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
  };
}

/**
 * A pool of connections that know how to enter a transaction, for those that take one trip. Apart from the pool of longer
 * transactions, so that long writes never keep reads and votes waiting.
 *
 * @param preludes what else goes before each of their statements
 */
export function createPipelinedPool(
  options: PoolOptions,
  onError: (error: Error) => void,
  preludes: readonly Prelude[] = [],
): Pool {
  const WatchedPool = watchedBy(options.watch);
  const pool = new WatchedPool({
    ...poolConfig(options),
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool waits for it; its types do not say so
    onConnect: async (client) => {
      await client.query({ ...ENTER, values: [APP_ROLE, ''] });
      for (const one of preludes) await client.query({ ...one, values: [...one.values] });
    },
  });
  pool.on('error', onError);
  return pool;
}

/** A pool whose connections are replaced at the next use when they are lost, and watched over from their beginning. */
function watchedBy(watch: DatabaseWatch | undefined): typeof Pool {
  class OurClient extends WatchedClient {
    constructor(config: ClientConfig) {
      super(config, watch);
    }
  }
  return class extends Pool {
    constructor(config: PoolConfig) {
      super({ ...config, Client: OurClient as unknown as new () => Client });
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

/** `derniereMAJ` → `derniere_maj`. */
export function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
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
