import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  freePort,
  startEmbeddedPostgres,
} from '../../../libs/embedded-postgres/src';
import { makeServiceLogin } from '../../../libs/platform/src/database/service-login';
import { THIS_RELEASE } from '../../http/child-process';
import { SERVICE_PASSWORD } from '../../setup/service-login';

/** A separate migrated PostgreSQL for a trial, as durable as production's, that can be killed and started again. */
export class OwnPostgres {
  private constructor(
    private server: EmbeddedPostgres,
    private readonly options: EmbeddedPostgresOptions,
    private readonly made: string | undefined,
  ) {}

  /**
   * @param dataDir the folder of the database; a temporary one by default
   * @param release the folder of the release that makes the schema
   */
  static async start(
    settings: Record<string, string> = {},
    dataDir?: string,
    release?: string,
  ): Promise<OwnPostgres> {
    const made = dataDir ? undefined : await mkdtemp(join(tmpdir(), 'mandat-own-'));
    const options = { dataDir: dataDir ?? made!, port: await freePort(), settings };
    const own = new OwnPostgres(await startEmbeddedPostgres(options), options, made);
    await own.migrate(release);
    await makeServiceLogin(own.url, SERVICE_PASSWORD);
    return own;
  }

  /**
   * Starts a server on data that is there already, for example a copy. `stop` removes the data.
   *
   * @param environment further environment variables of the server
   */
  static async on(
    dataDir: string,
    settings: Record<string, string> = {},
    port?: number,
    environment: Record<string, string> = {},
  ): Promise<OwnPostgres> {
    const options = { dataDir, port: port ?? (await freePort()), settings, environment };
    return new OwnPostgres(await startEmbeddedPostgres(options), options, dataDir);
  }

  /** Brings the schema to that of a release, as its operator does. @param release its folder */
  async migrate(release = THIS_RELEASE): Promise<void> {
    await promisify(execFile)(process.execPath, [join(release, 'dist/apps/cli/src/main.js'), 'migrate'], {
      env: { ...process.env, DATABASE_URL: this.url },
    });
  }

  get dataDir(): string {
    return this.options.dataDir;
  }

  get port(): number {
    return this.options.port!;
  }

  /** Runs one statement as the superuser. */
  async query<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const client = await this.client();
    try {
      return (await client.query<R>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  /** The port stays the same for its whole life, including restarts. */
  get url(): string {
    return this.server.url;
  }

  /** Sends SIGKILL to the server and all of its processes at once, like the loss of the machine. */
  async kill(): Promise<void> {
    const [pid] = readFileSync(join(this.options.dataDir, 'cluster/postmaster.pid'), 'utf8').split('\n');
    for (const victim of [Number(pid), ...childrenOf(Number(pid))]) {
      try {
        process.kill(victim, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
    await this.server.stop();
  }

  /**
   * Starts it again after a kill, and resolves when it accepts connections.
   *
   * @param settings that are added to those of the first start
   */
  async restart(settings: Record<string, string> = {}): Promise<void> {
    const all = { ...this.options.settings, ...settings };
    this.server = await startEmbeddedPostgres({ ...this.options, settings: all });
  }

  async client(): Promise<Client> {
    const client = new Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async stop(): Promise<void> {
    await this.server.stop();
    if (this.made) rmSync(this.made, { recursive: true, force: true });
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        // After the name, which may contain spaces: the state, then the parent.
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}
