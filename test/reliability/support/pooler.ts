import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../../libs/embedded-postgres/src';
import { until } from '../../webhooks/support/receiver';

/** The first version that supports named statements in transaction mode. */
const OLDEST = [1, 21];

/** Returns pgbouncer from PGBOUNCER or PATH; undefined if there is none, or an older version. */
export function findPgbouncer(): string | undefined {
  const command = process.env.PGBOUNCER ?? 'pgbouncer';
  try {
    const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(
      execFileSync(command, ['--version'], { encoding: 'utf8' }),
    )!;
    const isNewEnough =
      Number(major) > OLDEST[0]! || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]!);
    return isNewEnough ? command : undefined;
  } catch {
    return undefined;
  }
}

/** The settings of docs/operations.md, line by line: parameters of connections that the pooler does not pass on. */
export const CONNECT_QUERY = [
  'SET ROLE mandat_app',
  'SET statement_timeout = 30000',
  'SET lock_timeout = 20000',
  'SET idle_in_transaction_session_timeout = 60000',
  'SET transaction_timeout = 110000',
  'SET jit = off',
].join('; ');

const SETTINGS = {
  pool_mode: 'transaction',
  max_prepared_statements: '500',
  ignore_startup_parameters:
    'role, statement_timeout, lock_timeout, idle_in_transaction_session_timeout, transaction_timeout, jit, tcp_keepalives_idle, tcp_keepalives_interval, tcp_keepalives_count, tcp_user_timeout',
};

/** The account of pgbouncer if the tests run as root, because pgbouncer does not run as root. */
const NOBODY = 65_534;

/** The program and its account: as root a copy in the trial's folder, because NOBODY may not enter the build folder. */
function runnable(command: string, folder: string): [string, { uid?: number; gid?: number }] {
  if (process.getuid?.() !== 0) return [command, {}];
  const account = { uid: NOBODY, gid: NOBODY };
  if (!command.includes('/')) return [command, account];
  const copy = join(folder, 'pgbouncer');
  copyFileSync(command, copy);
  chmodSync(copy, 0o755);
  return [copy, account];
}

/** A separate pgbouncer of a trial, between its processes and a database. */
export class Pooler {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly url: string,
  ) {}

  /** @param connectQuery the first statement on each connection to the database */
  static async start(
    command: string,
    databaseUrl: string,
    poolSize: number,
    connectQuery: string | undefined = CONNECT_QUERY,
  ): Promise<Pooler> {
    const [database, url] = [new URL(databaseUrl), new URL(databaseUrl)];
    const port = await freePort();
    url.port = String(port);
    const folder = mkdtempSync(join(tmpdir(), 'mandat-pooler-'));
    const [name, user, password] = [database.pathname.slice(1), database.username, database.password].map(
      decodeURIComponent,
    );
    const query = connectQuery === undefined ? '' : ` connect_query='${connectQuery}'`;
    const own = {
      ...SETTINGS,
      default_pool_size: String(poolSize),
      listen_addr: '127.0.0.1',
      listen_port: String(port),
      unix_socket_dir: '',
      stats_users: user,
      auth_type: 'scram-sha-256',
      auth_file: join(folder, 'users.txt'),
      max_client_conn: '500',
      log_connections: '0',
      log_disconnections: '0',
    };
    const lines = Object.entries(own).map(([key, value]) => `${key} = ${value}`);
    const target = `${name} = host=${database.hostname} port=${database.port} dbname=${name}${query}`;
    writeFileSync(
      join(folder, 'pgbouncer.ini'),
      ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'),
    );
    writeFileSync(join(folder, 'users.txt'), `"${user}" "${password}"\n`);
    for (const path of [folder, join(folder, 'users.txt')]) chmodSync(path, 0o755);
    const [program, account] = runnable(command, folder);
    const child = spawn(program, [join(folder, 'pgbouncer.ini')], {
      ...account,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const pooler = new Pooler(child, folder, url.href);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.on('error', (error) => (said += error.message));
    await until('pgbouncer listens', async () => {
      if (child.exitCode !== null) throw new Error(said);
      const client = new Client({ connectionString: url.href });
      client.on('error', () => undefined);
      return client
        .connect()
        .then(() => client.end())
        .then(
          () => true,
          () => false,
        );
    });
    return pooler;
  }

  /** Ends it at once, without waiting for clients. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGQUIT');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
