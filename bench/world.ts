import { type ChildProcess, execFile, fork, type ForkOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { Client } from 'pg';
import { baseBackup, freePort, REPLICATED, standbyOf, startEmbeddedPostgres } from '#embedded-postgres';
import { makeServiceLogin } from '../libs/platform/src/database/service-login';
import { SQL_V2 } from './floor-v2.sql';
import { SQL } from './floor.sql';
import { employers, type Employee } from './employees';
import { say } from './progress';
import { inTurns } from './rounds';

/** The build of this tree. */
const DIST = join(__dirname, '..');
const NO_BUDGET = ['--require', join(__dirname, 'no-budget.js')];
const START_LIMIT_MS = 30_000;
const ADMIN_API_KEY = randomBytes(32).toString('hex');
/** Common to all databases, because they share the login of the server. */
const SERVICE_PASSWORD = randomBytes(24).toString('hex');

/** The environment of every process of the product. */
const PRODUCTION = {
  NODE_ENV: 'production',
  // The heap of Node in the container of 1 GiB of deploy/kubernetes, and the option of the Dockerfile.
  NODE_OPTIONS: '--max-old-space-size=512 --max-semi-space-size=16',
  ADMIN_API_KEY,
  SECRETS_KEY: randomBytes(32).toString('base64'),
  DOSSIER_SIGNING_KEY: randomBytes(32).toString('base64'),
  SHUTDOWN_DELAY_MS: '0',
  // The limit of the administrator's key; partners' keys have their own.
  RATE_LIMIT_PER_MINUTE: '10000000',
  // Receivers are on 127.0.0.1.
  WEBHOOK_ALLOW_INSECURE: 'true',
};

/** A process of the bench that listens on a port of 127.0.0.1. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A data space of the product with a partner's key for it. */
export interface Tenant {
  readonly id: string;
  readonly key: string;
}

/** A server of PostgreSQL with a database. */
export interface DatabaseServer {
  readonly url: string;
  readonly dataDir: string;
}

/** Databases of a site. */
export interface SiteOptions {
  /** The URL of its directory; by default a new database on the common server. */
  readonly directory?: string;
  /** URLs of further cells. */
  readonly cells?: readonly string[];
  /** Servers that follow the directory's. */
  readonly standbys?: readonly DatabaseServer[];
}

/** Copies the rows of `seed` into a table, without the columns that PostgreSQL generates. */
export async function fillFrom(database: Client, table: string, seed: string): Promise<void> {
  const { rows } = await database.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [table],
  );
  const { columns } = rows[0]!;
  await database.query(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${seed}`);
}

/** The product with its own database. */
export class Site {
  protected readonly undo: (() => Promise<unknown>)[] = [];
  protected databaseUrl: string;
  /** The URL of the same database with the login of the product's processes. */
  private serviceUrl: string;
  private cells: string;
  private standbys: string;
  /** Connections to the directory, to further cells, and to standbys, in this order. */
  private databases: readonly Client[];
  database: Client;
  api: Server;
  /** Tenants that reads share, by their contents. */
  private readonly readTenants = new Map<string, Tenant>();

  /** @param dist the build of the product */
  constructor(protected readonly dist: string) {}

  /** Creates the product's tables in the database of this URL, and in further cells, and starts the product on it. */
  async open(databaseUrl: string, { cells = [], standbys = [] }: SiteOptions = {}): Promise<void> {
    this.databaseUrl = databaseUrl;
    const env = { ...process.env, DATABASE_URL: databaseUrl, CELLS: cellsText(databaseUrl, cells) };
    await promisify(execFile)(process.execPath, [join(this.dist, 'apps/cli/src/main.js'), 'migrate'], {
      env,
    });
    this.serviceUrl = await makeServiceLogin(databaseUrl, SERVICE_PASSWORD);
    const services = await Promise.all(cells.map((url) => makeServiceLogin(url, SERVICE_PASSWORD)));
    this.cells = cellsText(this.serviceUrl, services);
    this.standbys = standbys.map(({ url }) => at(this.serviceUrl, url)).join(' ');
    this.database = await this.connect(databaseUrl);
    const others = [...cells, ...standbys.map(({ url }) => at(databaseUrl, url))];
    this.databases = [this.database, ...(await Promise.all(others.map((url) => this.connect(url))))];
    this.api = await this.startApi();
  }

  /** Returns how many transactions each database has ended so far, in the order of `databases`. */
  transactions(): Promise<number[]> {
    const text = `SELECT (xact_commit + xact_rollback)::int AS count FROM pg_stat_database WHERE datname = current_database()`;
    return Promise.all(
      this.databases.map(async (one) => (await one.query<{ count: number }>(text)).rows[0]!.count),
    );
  }

  /** Ends everything that was started, in reverse order. */
  async stop(): Promise<void> {
    for (const step of this.undo.splice(0).reverse()) await step();
  }

  /** A connection for preparations and comparisons, outside measurements. */
  async connect(databaseUrl: string): Promise<Client> {
    const client = new Client({ connectionString: databaseUrl });
    // PostgreSQL may stop before this connection is closed; this is not an error.
    client.on('error', () => undefined);
    await client.connect();
    this.undo.push(() => client.end());
    return client;
  }

  /**
   * Starts the product as in production: its log at the default level goes to /dev/null, and its login owns nothing.
   */
  startApi(): Promise<Server> {
    const environment = {
      ...PRODUCTION,
      DATABASE_URL: this.serviceUrl,
      CELLS: this.cells,
      DATABASE_READ_URLS: this.standbys,
    };
    return this.startServer(join(this.dist, 'apps/partner-api/src/main.js'), environment, {
      execArgv: NO_BUDGET,
    });
  }

  startWorker(): Promise<Server> {
    return this.startServer(join(this.dist, 'apps/worker/src/main.js'), {
      ...PRODUCTION,
      DATABASE_URL: this.serviceUrl,
      CELLS: this.cells,
    });
  }

  /** Receives deliveries. */
  startReceiver(): Promise<Server> {
    return this.startServer(join(__dirname, 'receiver.js'), {});
  }

  /** Starts a process that sends a message when it listens. */
  async startServer(
    file: string,
    environment: Record<string, string>,
    { args, ...options }: Pick<ForkOptions, 'cwd' | 'execArgv'> & { args?: string[] } = {},
  ): Promise<Server> {
    const port = await freePort();
    const child = fork(file, args, {
      ...options,
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: this.databaseUrl,
        PORT: String(port),
        WORKER_PORT: String(port),
        ...environment,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const stop = (): Promise<void> => end(child);
    this.undo.push(stop);
    const listening = once(child, 'message', { signal: AbortSignal.timeout(START_LIMIT_MS) });
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended at its start.`)));
    ended.catch(() => undefined);
    await Promise.race([listening, ended]);
    return { port, pid: child.pid!, stop };
  }

  /** Creates a client with a data space, a key without a practical rate limit, and the employers of the employees. */
  async newTenant(name: string): Promise<Tenant> {
    const client = await this.call<{ id: string }>('/admin/v1/clients', ADMIN_API_KEY, {
      nom: `${name} ${randomBytes(4).toString('hex')}`,
      modules: ['carteMembre', 'vote'],
      limiteParMinute: 10_000_000,
    });
    const cle = await this.call<{ cle: string }>(`/admin/v1/clients/${client.id}/cles`, ADMIN_API_KEY, {
      nom: 'Bench',
      environnement: 'production',
      role: 'partenaire',
    });
    const { rows } = await this.database.query<{ id: string }>('SELECT id FROM tenant WHERE client_id = $1', [
      client.id,
    ]);
    const tenant = { id: rows[0]!.id, key: cle.cle };
    await this.call('/b2b/v1/employe/sync', tenant.key, { employeurs: employers() });
    return tenant;
  }

  /** A key for the platform's side of a tenant. */
  async platformKey(tenant: Tenant): Promise<string> {
    const { rows } = await this.database.query<{ client: string }>(
      'SELECT client_id AS client FROM tenant WHERE id = $1',
      [tenant.id],
    );
    const path = `/admin/v1/clients/${rows[0]!.client}/cles`;
    const body = { nom: 'Bench', environnement: 'production', role: 'plateforme' };
    return (await this.call<{ cle: string }>(path, ADMIN_API_KEY, body)).cle;
  }

  /** Returns the tenant with these contents, filled at its first use. */
  async readTenant(holding: string, fill: (tenant: Tenant) => Promise<void>): Promise<Tenant> {
    let tenant = this.readTenants.get(holding);
    if (!tenant) {
      say(`Making a tenant of ${holding}`);
      tenant = await this.newTenant(`Reads ${holding}`);
      await fill(tenant);
      this.readTenants.set(holding, tenant);
    }
    return tenant;
  }

  /** Marks the tables of reads as empty: their contents are created again. */
  forgetReadTenants(): void {
    this.readTenants.clear();
  }

  /** Fills a tenant as a partner does, then runs VACUUM as autovacuum would. */
  async fill(tenant: Tenant, employes: readonly Employee[]): Promise<void> {
    const result = await this.call<SyncResult>('/b2b/v1/employe/sync', tenant.key, { employes });
    expectEqual('employees created', result.created, employes.length);
    await this.database.query('VACUUM ANALYZE employe');
  }

  /** Calls the product outside any measurement. @throws Error unless the response is a success */
  async call<T>(path: string, key: string, body: unknown): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.api.port}${path}`, {
      method: 'POST',
      headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}

/** Options of each of the two worlds that `--against` compares. */
interface Compared {
  /** Folder of the built product; by default that of this tree. */
  readonly dist?: string;
  readonly inTurns: typeof inTurns;
}

/** The database server, the product, the floors and the other contestants, for one run. */
export class World extends Site {
  floor: Server;
  /** The same reads, written as a Nest team would write them. */
  team: Server;
  private made = 0;
  /** Whether Directus is measured, too. */
  readonly hasPeer: boolean;
  /** Alternates the contestants of a work; with `--against` the product and that of the other world. */
  readonly inTurns: typeof inTurns;

  constructor(compared?: Compared) {
    super(compared?.dist ?? DIST);
    this.hasPeer = !compared;
    this.inTurns = compared?.inTurns ?? inTurns;
  }

  async start(): Promise<void> {
    say('Starting an embedded PostgreSQL (settings as shipped, fsync on)');
    const postgres = await startEmbeddedPostgres({ dataDir: await this.newFolder() });
    this.undo.push(() => postgres.stop());

    say('Applying the migrations, starting the product and the floors');
    await this.open(postgres.url);
    await this.database.query(SQL.createTable);
    await this.database.query(SQL_V2.createTables);
    await this.database.query(SQL.createRoll);
    this.floor = await this.startServer(join(__dirname, 'floor.js'), {});
    this.team = await this.startServer(join(__dirname, 'nest-team.js'), { NODE_ENV: 'production' });
  }

  /** Starts the product of another build, with its own server of PostgreSQL. */
  async newWorld(compared: Compared): Promise<World> {
    const world = new World(compared);
    this.undo.push(() => world.stop());
    await world.start();
    return world;
  }

  /** Creates an empty database on the same server. @returns its URL */
  async newDatabase(): Promise<string> {
    const name = `bench_${++this.made}`;
    await this.database.query(`CREATE DATABASE ${name}`);
    const url = new URL(this.databaseUrl);
    url.pathname = name;
    return url.href;
  }

  /** Starts another server, which standbys may follow. */
  async newServer(): Promise<DatabaseServer> {
    const dataDir = await this.newFolder();
    const postgres = await startEmbeddedPostgres({ dataDir, settings: REPLICATED });
    this.undo.push(() => postgres.stop());
    return { url: postgres.url, dataDir };
  }

  /** Starts a standby of a server. */
  async newStandby(primary: DatabaseServer): Promise<DatabaseServer> {
    const dataDir = await baseBackup(primary, 'standby.signal');
    this.undo.push(() => rm(dataDir, { recursive: true, force: true }));
    const postgres = await startEmbeddedPostgres({ dataDir, settings: standbyOf(primary.url) });
    this.undo.push(() => postgres.stop());
    return { url: postgres.url, dataDir };
  }

  /** Starts the product once more, with its own databases. It ends with the run, or earlier. */
  async newSite({ directory, ...others }: SiteOptions = {}): Promise<Site> {
    const site = new Site(this.dist);
    this.undo.push(() => site.stop());
    await site.open(directory ?? (await this.newDatabase()), others);
    return site;
  }

  /** Makes a folder that is removed at the end of the run. */
  async newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'mandat-bench-'));
    this.undo.push(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }
}

/** Returns the URL of the same database and login on another server. */
function at(databaseUrl: string, server: string): string {
  const url = new URL(databaseUrl);
  url.port = new URL(server).port;
  return url.href;
}

/** Returns the value of CELLS; '' without further cells. */
function cellsText(directory: string, cells: readonly string[]): string {
  if (cells.length === 0) return '';
  return [`principal=${directory}`, ...cells.map((url, index) => `cell-${index + 2}=${url}`)].join(' ');
}

interface SyncResult {
  created: number;
  updated: number;
  errors: unknown[];
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(hard);
}

/** Returns the peak memory of a process in MiB, or undefined if the system does not report it (Linux does). */
export async function peakMemory(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmHWM:\s*(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/** Compares without regard to the order of properties. @throws Error if the contestants did not do the same work */
export function expectEqual(what: string, found: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(found, wanted)) {
    throw new Error(
      `Not the same work: ${what} ${JSON.stringify(found)?.slice(0, 300)} instead of ${JSON.stringify(wanted)?.slice(0, 300)}`,
    );
  }
}
