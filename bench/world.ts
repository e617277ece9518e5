import { type ChildProcess, execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '#shared/database/embedded-postgres';
import { freePort } from '#shared/database/embedded-postgres.host';
import { SQL_V2 } from './floor-v2.sql';
import { SQL } from './floor.sql';
import { employers, type Employee } from './employees';
import { say } from './progress';

const APPS = join(__dirname, '../apps');
const START_LIMIT_MS = 30_000;
const ADMIN_API_KEY = randomBytes(32).toString('hex');

/** The environment of every process of the product. */
const PRODUCTION = {
  NODE_ENV: 'production',
  ADMIN_API_KEY,
  SECRETS_KEY: randomBytes(32).toString('base64'),
  SHUTDOWN_DELAY_MS: '0',
  // Receivers are on 127.0.0.1.
  WEBHOOK_ALLOW_INSECURE: 'true',
};

/** A process of ours that listens on a port of 127.0.0.1. */
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

/** The database, the product and the floors, as long as the run lasts. */
export class World {
  private readonly undo: (() => Promise<unknown>)[] = [];
  private databaseUrl: string;
  database: Client;
  api: Server;
  floor: Server;
  /** Tenants that reads share, by what they hold. */
  private readonly readTenants = new Map<string, Tenant>();

  async start(): Promise<void> {
    say('Starting an embedded PostgreSQL (settings as shipped, fsync on)');
    const dataDir = await mkdtemp(join(tmpdir(), 'mandat-bench-'));
    this.undo.push(() => rm(dataDir, { recursive: true, force: true }));
    const postgres = await startEmbeddedPostgres({ dataDir });
    this.undo.push(() => postgres.stop());
    this.databaseUrl = postgres.url;

    say('Applying the migrations');
    const env = { ...process.env, DATABASE_URL: postgres.url };
    await promisify(execFile)(process.execPath, [join(APPS, 'cli/src/main.js'), 'migrate'], { env });
    this.database = new Client({ connectionString: postgres.url });
    // Stopping PostgreSQL before this connection is closed is no failure.
    this.database.on('error', () => undefined);
    await this.database.connect();
    this.undo.push(() => this.database.end());
    await this.database.query(SQL.createTable);
    await this.database.query(SQL_V2.createTables);
    await this.database.query(SQL.createRoll);

    say('Starting the product and the floors');
    this.api = await this.startApi();
    this.floor = await this.startServer(join(__dirname, 'floor.js'), {});
  }

  /** Ends everything that was started, the last first. */
  async stop(): Promise<void> {
    for (const step of this.undo.splice(0).reverse()) await step();
  }

  /** The product as in production: its log at the default level goes to /dev/null. */
  startApi(): Promise<Server> {
    return this.startServer(join(APPS, 'partner-api/src/main.js'), PRODUCTION);
  }

  startWorker(): Promise<Server> {
    return this.startServer(join(APPS, 'worker/src/main.js'), { ...PRODUCTION, WORKER_PORT: '0' });
  }

  /** Takes what is delivered. */
  startReceiver(): Promise<Server> {
    return this.startServer(join(__dirname, 'receiver.js'), {});
  }

  private async startServer(file: string, environment: Record<string, string>): Promise<Server> {
    const port = await freePort();
    const child = fork(file, {
      env: { PATH: process.env.PATH, DATABASE_URL: this.databaseUrl, PORT: String(port), ...environment },
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

  /** A client with a data space, a key without a practical rate limit, and the employers that employees name. */
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

  /** The tenant that holds this, filled at its first use. */
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

  /** The tables that reads use have been emptied: what they need is made anew. */
  forgetReadTenants(): void {
    this.readTenants.clear();
  }

  /** Fills a tenant the way a partner does, and lets PostgreSQL clean up behind it as it would have by itself. */
  async fill(tenant: Tenant, employes: readonly Employee[]): Promise<void> {
    const result = await this.call<SyncResult>('/b2b/v1/employe/sync', tenant.key, { employes });
    expectEqual('employees created', result.created, employes.length);
    await this.database.query('VACUUM ANALYZE employe');
  }

  /** One call of the product outside any measurement; its answer must be a success. */
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

/** The most memory that a process ever held, in MiB; undefined where the system does not say (it does on Linux). */
export async function peakMemory(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmHWM:\s*(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/** @throws Error when the contestants did not do the same work */
export function expectEqual(what: string, found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(
      `Not the same work: ${what} ${JSON.stringify(found)?.slice(0, 300)} instead of ${JSON.stringify(wanted)?.slice(0, 300)}`,
    );
  }
}
