import type { Socket } from 'node:net';
import type { Client, ClientConfig } from 'pg';
import { serversOf } from '../ops/database-servers';
import { APP_ROLE } from './roles';

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

/** Configuration of a connection to a server of a database. */
export interface ServerConfig extends ClientConfig {
  /** The URL of the database, which may name several servers. */
  readonly databaseUrl: string;
}

/** Makes connections to a server of a database: to the one of its configuration, or to another one that it chooses. */
export type Connection = new (config: ServerConfig) => Client;

/** The socket of a connection, which the types of `pg` omit. */
export function streamOf(client: Pick<Client, 'query'>): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** Options of a connection. */
export function clientConfig(url: string, applicationName: string): ServerConfig {
  return {
    connectionString: serversOf(url).urls[0],
    databaseUrl: url,
    keepAlive: true,
    // Otherwise after two hours.
    keepAliveInitialDelayMillis: 5_000,
    options: CONNECTION_OPTIONS,
    application_name: applicationName,
  };
}
