import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '../../libs/embedded-postgres/src';

/** The compiled module, for separate processes. */
const LAUNCHER = join(__dirname, '../../dist/libs/embedded-postgres/src/index.js');

// A process of its own that starts a server and then waits to be killed.
const STARTER = `
  const { startEmbeddedPostgres } = require(process.argv[1]);
  setInterval(() => undefined, 1000);
  startEmbeddedPostgres({ dataDir: process.argv[2] })
    .then(({ url }) => console.log(url), (error) => { console.error(error.message); process.exit(1); });
`;

const KEEP = 'DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS n';

describe('startEmbeddedPostgres', () => {
  let folder: string;
  let dataDir: string;
  const servers: EmbeddedPostgres[] = [];
  const starters: ChildProcess[] = [];

  // The cluster of most tests.
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'embedded-postgres-')));
    await chmod(folder, 0o755);
    await (await startEmbeddedPostgres({ dataDir: join(folder, 'data') })).stop();
  });

  beforeEach(() => {
    dataDir = join(folder, 'data');
  });

  afterEach(async () => {
    for (const starter of starters.splice(0)) await killStarter(starter);
    for (const server of servers.splice(0)) await server.stop();
    await until(async () => (await serverProcesses(dataDir)).length === 0);
  });

  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

  async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({ dataDir, ...options });
    servers.push(server);
    return server;
  }

  function spawnStarter(): ChildProcess {
    const child = spawn(process.execPath, ['-e', STARTER, LAUNCHER, dataDir], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    starters.push(child);
    return child;
  }

  async function spawnStarted(): Promise<{ starter: ChildProcess; url: string }> {
    const starter = spawnStarter();
    let errors = '';
    starter.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const url = await new Promise<string>((done, fail) => {
      starter.stdout?.once('data', (chunk: Buffer) => done(chunk.toString().trim()));
      starter.once('exit', () => fail(new Error(errors)));
    });
    return { starter, url };
  }

  it('creates the cluster, and a restart finds what was committed', async () => {
    dataDir = join(folder, 'fresh');
    const first = await start();
    await query(first.url, KEEP);
    await first.stop();
    expect(await serverProcesses(dataDir)).toEqual([]);

    const second = await start();
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
    expect((await readdir(dataDir)).sort()).toEqual(['cluster', 'lock', 'password']);
  });

  it('is durable, deterministic and reachable from this host alone, with the settings asked for', async () => {
    const lines: string[] = [];
    const { url } = await start({
      database: 'with "quotes" & spaces',
      settings: { work_mem: '7MB', listen_addresses: '*' },
      log: (line) => lines.push(line),
    });
    const settings = `SELECT current_database() AS database, current_setting('fsync') AS fsync,
      current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets,
      current_setting('max_connections') AS connections, current_setting('work_mem') AS work_mem,
      current_setting('server_encoding') AS encoding, current_setting('timezone') AS zone,
      (SELECT datlocprovider::text || ':' || datlocale FROM pg_database WHERE datname = current_database()) AS locale`;
    expect(await query(url, settings)).toEqual([
      {
        database: 'with "quotes" & spaces',
        fsync: 'on',
        addresses: '127.0.0.1',
        sockets: '',
        connections: '200',
        work_mem: '7MB',
        encoding: 'UTF8',
        zone: 'UTC',
        locale: 'b:C.UTF-8',
      },
    ]);
    expect(lines).toContainEqual(expect.stringContaining('ready to accept connections'));
    expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600);
    await expect(query(url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(
      'password authentication',
    );
  });

  it('sees accented letters as letters', async () => {
    const { url } = await start();
    await query(url, 'CREATE EXTENSION IF NOT EXISTS pg_trgm');
    const rows = await query(url, `SELECT similarity('Élève', 'élève') AS same, lower('ÉŒ') AS low`);
    expect(rows).toEqual([{ same: 1, low: 'éœ' }]);
  });

  it('ends with a parent that is killed, and the next start finds what was committed', async () => {
    const { starter, url } = await spawnStarted();
    await query(url, KEEP);
    expect(await serverProcesses(dataDir)).not.toEqual([]);

    await killStarter(starter);
    await until(async () => (await serverProcesses(dataDir)).length === 0, 5000);

    const next = await start();
    expect(await query(next.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
  });

  it('starts at once after a parent that is killed', async () => {
    const { starter, url } = await spawnStarted();
    await query(url, KEEP);
    await killStarter(starter);

    const next = await start();
    expect(await query(next.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
  });

  it('stops a server whose parent and watchdog were both killed', async () => {
    const { starter, url } = await spawnStarted();
    await query(url, KEEP);
    await killWatchdog(dataDir);
    await killStarter(starter);
    await sleep(200);
    const orphan = await postmaster(dataDir);
    expect(await serverProcesses(dataDir)).toContain(orphan);

    const next = await start();
    expect(await query(next.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
    expect(await serverProcesses(dataDir)).not.toContain(orphan);
  });

  it('recovers after parent, watchdog and server were all killed', async () => {
    const { starter, url } = await spawnStarted();
    await query(url, KEEP);
    await killWatchdog(dataDir);
    process.kill(await postmaster(dataDir), 'SIGKILL');
    await killStarter(starter);

    const next = await start();
    expect(await query(next.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
  });

  it('does not take the pid file that a power cut left for its own server', async () => {
    const server = await start();
    const file = join(dataDir, 'cluster', 'postmaster.pid');
    const left = await readFile(file, 'utf8');
    await server.stop();
    await writeFile(file, left);

    expect(await query((await start()).url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('is not held up by a pid file that names an unrelated process, nor ends that process', async () => {
    await (await start()).stop();
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
    await writeFile(join(dataDir, 'cluster', 'postmaster.pid'), `${stranger.pid}\n`);
    try {
      await start();
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('refuses a second start while the first lives, in this process and from another', async () => {
    const { starter, url } = await spawnStarted();
    await expect(start()).rejects.toThrow(`${dataDir} is in use by process ${starter.pid}`);
    expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await killStarter(starter);

    await start();
    await expect(start()).rejects.toThrow(`${dataDir} is in use by process ${process.pid}`);
    await expect(spawnStarted()).rejects.toThrow(`${dataDir} is in use by process ${process.pid}`);
  });

  it('lets one of several simultaneous starts win', async () => {
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => start()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(String(result.reason)).toContain('is in use by process');
    }
  });

  it('repeats an initdb that was interrupted', async () => {
    dataDir = join(folder, 'interrupted');
    const starter = spawnStarter();
    await until(async () => (await workshopFiles(dataDir)).includes('pg_hba.conf'));
    await killStarter(starter);
    expect(await readdir(dataDir)).not.toContain('cluster');

    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    expect((await readdir(dataDir)).sort()).toEqual(['cluster', 'lock', 'password']);
  });

  it('deletes no file in an unknown folder', async () => {
    dataDir = join(folder, 'unknown');
    await mkdir(join(dataDir, 'cluster', 'base'), { recursive: true });
    await expect(start()).rejects.toThrow(`${join(dataDir, 'cluster')} is not a PostgreSQL cluster`);
    expect(await readdir(dataDir)).toEqual(['cluster']);
    expect(await readdir(join(dataDir, 'cluster'))).toEqual(['base']);
  });

  it('works below a folder that is closed to the user of PostgreSQL', async () => {
    dataDir = join(folder, 'closed', 'data');
    await mkdir(join(folder, 'closed'), { mode: 0o700 });
    const { url, stop } = await start();
    await query(url, KEEP);
    await stop();
    expect(await query((await start()).url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
  });

  it('shows what PostgreSQL said when it does not start, and frees the folder', async () => {
    await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /did not start on .*\n.*invalid value for parameter "shared_buffers": "plenty"/s,
    );
    await start();
  });

  it('stops twice, and disconnects clients', async () => {
    const server = await start();
    const client = new Client(server.url);
    const errors: Error[] = [];
    client.on('error', (error) => errors.push(error));
    await client.connect();
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    await until(async () => errors.length > 0);
    expect(errors[0]?.message).toMatch(/terminating connection|Connection terminated/);
    expect(await readdir(dataDir)).not.toContain('lock');
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client(url);
  // The server may be killed under it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function killStarter(starter: ChildProcess): Promise<void> {
  if (starter.exitCode !== null || starter.signalCode !== null) return;
  starter.kill('SIGKILL');
  await once(starter, 'exit');
}

async function until(condition: () => Promise<boolean>, limitMs = 20_000): Promise<void> {
  const limit = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > limit) throw new Error(`not within ${limitMs} ms: ${condition.toString()}`);
    await sleep(5);
  }
}

/** Processes whose command line names the folder, by the name of their program. */
async function processesOf(dataDir: string, program: RegExp): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).map(Number).filter(Boolean)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const [file = ''] = command.split('\0');
    if (program.test(file) && command.includes(dataDir)) found.push(pid);
  }
  return found;
}

const serverProcesses = (dataDir: string): Promise<number[]> => processesOf(dataDir, /\/(postgres|initdb)$/);
const watchdogProcesses = (dataDir: string): Promise<number[]> => processesOf(dataDir, /\/sh$/);

/**
 * Kills the shell and the one that it forks to watch, once both run. Both are stopped first: the starter closes
 * the pipe as soon as the shell has ended, and a watching shell that still runs would then stop the server.
 */
async function killWatchdog(dataDir: string): Promise<void> {
  await until(async () => (await watchdogProcesses(dataDir)).length === 2, 5000);
  const shells = await watchdogProcesses(dataDir);
  for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
    for (const pid of shells) process.kill(pid, signal);
  }
}

async function postmaster(dataDir: string): Promise<number> {
  return parseInt(await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8'), 10);
}

async function workshopFiles(dataDir: string): Promise<string[]> {
  const names = await readdir(dataDir).catch(() => []);
  const workshop = names.find((name) => name.startsWith('initdb-'));
  return workshop ? readdir(join(dataDir, workshop, 'cluster')).catch(() => []) : [];
}
