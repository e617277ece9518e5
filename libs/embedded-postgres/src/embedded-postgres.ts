import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  access,
  chown,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, escapeIdentifier } from 'pg';
import {
  acquireLock,
  canEnter,
  freePort,
  isPostgresWith,
  locateBinaries,
  readIfThere,
  runWatched,
  sendSignal,
  serverAccount,
  succeeds,
  type Account,
  type Watched,
} from './host';

/** A PostgreSQL server that belongs to this process. */
export interface EmbeddedPostgres {
  /** Connection URL of the superuser `postgres` on the database of the options. */
  readonly url: string;
  /**
   * Disconnects all clients, stops the server (fast shutdown) and frees the data folder. Resolves when
   * the server has ended; may be called again. Throws an Error when the server cannot be ended.
   */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /**
   * Folder of the cluster, its password and its lock; created if missing, given to PostgreSQL's user when
   * run as root. Not to be shared by hosts or containers, which do not see each other's processes.
   */
  dataDir: string;
  /** Database of the URL, created if missing. Default: `mandat`. */
  database?: string;
  /** TCP port on 127.0.0.1. Default: a free one, another at each start. */
  port?: number;
  /** Settings of the server (`name: value`), above the defaults here; address, port and sockets are fixed. */
  settings?: Record<string, string>;
  /** Environment variables of the server, above the defaults here. */
  environment?: Record<string, string>;
  /** Receives each line that PostgreSQL writes to its log. */
  log?: (line: string) => void;
}

const START_LIMIT_MS = 300_000;
const STOP_LIMIT_MS = 30_000;
const RETRY_LIMIT_MS = 10_000;
const DEFAULT_SETTINGS = { max_connections: '200' };

// A process started in a folder may use it although the folders above are closed to its user; PostgreSQL
// insists on an absolute path, and this one leads back to the folder it is in. Linux only.
const WORKING_FOLDER = '/proc/self/cwd';

/** State that the steps of a start share. */
interface Place extends EmbeddedPostgresOptions {
  /** Absolute and without symbolic links. It holds `cluster`, `password`, `lock`. */
  readonly dataDir: string;
  readonly cluster: string;
  /** Folder of PostgreSQL's `bin`. */
  readonly binaries: string;
  readonly account: Account | undefined;
  /** False when PostgreSQL's user cannot enter `dataDir` from above. */
  readonly enterable: boolean;
}

/**
 * Starts a durable PostgreSQL (fsync is on) on a folder, for this process alone, listening on 127.0.0.1
 * with a random password. The first start creates the cluster: UTF-8, sorted by code point, the same on
 * every host. A start that was interrupted is repaired, a finished cluster is never deleted.
 *
 * The server ends with this process, even when that is killed; committed data are there at the next
 * start. It does not keep the process alive. As root, PostgreSQL runs as the user `postgres` or `nobody`;
 * folders above `dataDir` that this user cannot enter are left as they are and are no obstacle on Linux.
 *
 * @throws Error "… is in use by process N" while the process that started it lives; Error with
 * PostgreSQL's last lines when initdb or the server fails.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  await mkdir(dirname(resolve(options.dataDir)), { recursive: true });
  await succeeds(mkdir(options.dataDir, { mode: 0o700 }), 'EEXIST');
  const dataDir = await realpath(options.dataDir);
  const release = await acquireLock(dataDir);
  try {
    const place = await preparePlace({ ...options, dataDir });
    await createCluster(place);
    const { server, port } = await startServer(place);
    const stop = async (): Promise<void> => {
      if (platform() === 'win32') await endLeftover(place);
      server.end();
      await Promise.race([server.ended, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
      await endLeftover(place);
      await server.ended;
      await release();
    };
    try {
      const url = await createDatabase(place, port);
      server.unref();
      let stopping: Promise<void> | undefined;
      return { url, stop: () => (stopping ??= stop()) };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    await release();
    throw error;
  }
}

async function preparePlace(options: EmbeddedPostgresOptions): Promise<Place> {
  const { dataDir } = options;
  const cluster = join(dataDir, 'cluster');
  const owner = (await succeeds(access(cluster), 'ENOENT')) ? (await stat(cluster)).uid : undefined;
  const account = serverAccount(owner);
  if (account !== undefined) {
    await chown(dataDir, account.uid, account.gid);
    if (owner !== undefined && owner !== account.uid) {
      execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, cluster]);
    }
  }
  const enterable = canEnter(dataDir, account);
  if (!enterable && platform() !== 'linux') {
    throw new Error(`User ${account?.uid}, as which PostgreSQL runs, cannot enter ${dataDir}`);
  }
  const binaries = join(await locateBinaries(dataDir, account), 'bin');
  return { ...options, cluster, binaries, account, enterable };
}

/**
 * Stops a server that is still running on the cluster although the process that started it is gone, and
 * removes its `postmaster.pid`: the number in it may have become a zombie's or an unrelated program's, which
 * PostgreSQL would believe to be its server. Should backends have survived their server, PostgreSQL notices
 * by the shared memory they are attached to.
 * @throws Error when that server does not end.
 */
async function endLeftover(place: Place): Promise<void> {
  const { pid } = await readPidFile(place);
  const runs = (): boolean =>
    [marker(place), place.cluster].some((argument) => isPostgresWith(pid, argument));
  if (platform() === 'win32' && pid) {
    const args = ['stop', '-m', 'fast', '-w', '-D', place.cluster];
    await runWatched(join(place.binaries, 'pg_ctl'), args, { cwd: place.cluster }).ended;
  } else if (pid) {
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      const limit = Date.now() + STOP_LIMIT_MS;
      if (runs()) sendSignal(pid, signal);
      while (runs() && Date.now() < limit) await sleep(10);
    }
    if (runs()) throw new Error(`The PostgreSQL process ${pid} on ${place.dataDir} does not end`);
  }
  await rm(join(place.cluster, 'postmaster.pid'), { force: true });
}

/**
 * Runs initdb unless a finished cluster is there. It works in a folder of its own whose result is moved
 * into place at the end, so `cluster` is either complete or missing, and what an interruption left is
 * known by its name.
 */
async function createCluster(place: Place): Promise<void> {
  const { dataDir, cluster, account } = place;
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith('initdb-')) continue;
    // An initdb whose watchdog was killed too may still be writing for a moment.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
  if ((await readIfThere(join(cluster, 'PG_VERSION'))) !== undefined) return;
  if (await succeeds(access(cluster), 'ENOENT')) throw new Error(`${cluster} is not a PostgreSQL cluster`);

  const workshop = join(dataDir, `initdb-${randomBytes(4).toString('hex')}`);
  const unfinished = join(workshop, 'cluster');
  const password = join(workshop, 'password');
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600, flush: true });
  if (account) {
    for (const path of [workshop, unfinished, password]) await chown(path, account.uid, account.gid);
  }

  // The character classes of the C library matter as well: with C, pg_trgm drops every accented letter.
  for (const characters of ['C.UTF-8', 'en_US.UTF-8', 'C']) {
    const run = runWatched(
      join(place.binaries, 'initdb'),
      [
        ...['-D', place.enterable ? unfinished : WORKING_FOLDER],
        ...['--username=postgres', '--auth=scram-sha-256'],
        `--pwfile=${place.enterable ? password : `${WORKING_FOLDER}/../password`}`,
        ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
        ...['--locale=C', `--lc-ctype=${characters}`],
      ],
      { ...place, cwd: unfinished },
    );
    if ((await run.ended) === 0) break;
    if (characters !== 'C' && run.lastLines.some((line) => line.includes('invalid locale name'))) continue;
    throw await failure('initdb failed', place, run);
  }
  await rename(password, join(dataDir, 'password'));
  await rename(unfinished, cluster);
  await rm(workshop, { recursive: true });
  if (platform() !== 'win32') {
    const folder = await open(dataDir);
    await folder.sync().finally(() => folder.close());
  }
}

/** Starts the server and resolves when it accepts connections. */
async function startServer(place: Place): Promise<{ server: Watched; port: number }> {
  const retryUntil = Date.now() + RETRY_LIMIT_MS;
  for (;;) {
    await endLeftover(place);
    const port = place.port ?? (await freePort());
    const start = `embedded.start=${randomBytes(4).toString('hex')}`;
    const settings = {
      ...DEFAULT_SETTINGS,
      ...place.settings,
      listen_addresses: '127.0.0.1',
      port: String(port),
      // No socket file: its path may be 107 bytes long at most, and its folder would need rights.
      unix_socket_directories: '',
    };
    const server = runWatched(
      join(place.binaries, 'postgres'),
      [
        ...['-D', place.enterable ? place.cluster : WORKING_FOLDER],
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        ...['-c', marker(place), '-c', start],
      ],
      { ...place, cwd: place.cluster },
    );
    const limit = Date.now() + START_LIMIT_MS;
    while (server.isRunning()) {
      const { pid, state } = await readPidFile(place);
      // A standby, and a server that replays a log, accept connections before they are "ready".
      if ((state === 'ready' || state === 'standby') && isPostgresWith(pid, start)) return { server, port };
      if (Date.now() > limit) server.end();
      await sleep(5);
    }
    // Processes of a killed server are still dying, or the port was taken after it had been found free.
    const passing = [/is still in use/, /lock file "postmaster.pid" already exists/];
    if (place.port === undefined) passing.push(/Address already in use/);
    const passes = passing.some((pattern) => server.lastLines.some((line) => pattern.test(line)));
    if (!passes || Date.now() > retryUntil) {
      throw await failure('PostgreSQL did not start', place, server);
    }
    await sleep(100);
  }
}

async function createDatabase({ dataDir, database = 'mandat' }: Place, port: number): Promise<string> {
  const password = (await readFile(join(dataDir, 'password'), 'utf8')).trim();
  const url = (name: string): string => {
    // pg leaves an encoded & / : … of the path as it is, so these go unencoded, which libpq accepts too.
    const path = encodeURI(name).replace(/[?#]/g, encodeURIComponent);
    return `postgres://postgres:${password}@127.0.0.1:${port}/${path}`;
  };
  const client = new Client({ connectionString: url('postgres') });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
  return url(database);
}

/** An argument of the server by which its process is recognised: a setting that means nothing to it. */
function marker(place: Place): string {
  return `embedded.cluster=${place.cluster}`;
}

/** Returns the URL of the server that another process runs on a folder; undefined if none was started, or it was stopped. */
export async function runningPostgres(dataDir: string, database = 'mandat'): Promise<string | undefined> {
  const password = await readIfThere(join(dataDir, 'password'));
  const port = (await readIfThere(join(dataDir, 'cluster', 'postmaster.pid')))?.split('\n')[3];
  return password && port
    ? `postgres://postgres:${password.trim()}@127.0.0.1:${port}/${database}`
    : undefined;
}

/** Returns the server's number and state from `postmaster.pid`; the number is 0 when there is no such file. */
async function readPidFile(place: Place): Promise<{ pid: number; state: string | undefined }> {
  const lines = (await readIfThere(join(place.cluster, 'postmaster.pid')))?.split('\n');
  return { pid: Number(lines?.[0] ?? 0), state: lines?.[7]?.trim() };
}

async function failure(what: string, place: Place, run: Watched): Promise<Error> {
  const code = await run.ended;
  return new Error(`${what} on ${place.dataDir} (exit code ${code}):\n${run.lastLines.join('\n')}`);
}
