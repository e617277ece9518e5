import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../http/child-process';
import { eventually } from '../http/expect-problem';
import { freePort } from '../../libs/embedded-postgres/src';

/** The processes of `npm start` after the build: database, migrations, demonstration tenant, API and worker. */
export class DemonstrationService {
  private constructor(
    private readonly child: Child,
    readonly url: string,
    /** The printed line with the keys, for a shell. */
    readonly line: string,
    readonly keys: Readonly<Record<'partenaire' | 'plateforme' | 'admin', string>>,
  ) {}

  /** @param before a command that runs the launcher */
  static async start(
    env: Record<string, string> = {},
    before: readonly string[] = [],
  ): Promise<DemonstrationService> {
    const port = String(await freePort());
    const own = { PORT: port, WORKER_PORT: String(await freePort()), LOG_LEVEL: 'error' };
    const child = await Child.spawn('cli', { ...own, ...env }, ['start'], before);
    const isReady = (): true | undefined => {
      if (!child.isRunning) throw new Error(`It did not start: ${child.errors}${child.output}`);
      return child.output.includes('Ctrl+C stops everything.') || undefined;
    };
    for (let turn = 0; turn < 12 && !isReady(); turn++)
      await eventually(isReady, 'The start').catch(() => undefined);
    const line = /^export MANDAT_URL=.+$/m.exec(child.output)?.[0];
    if (!line) throw new Error(`It prints no line to paste: ${child.output}`);
    const of = (name: string): string | undefined =>
      new RegExp(`\\bMANDAT_${name}='([^']+)'`).exec(line)?.[1];
    const admin = child.env.ADMIN_API_KEY || of('ADMIN_KEY')!;
    const keys = { partenaire: of('KEY')!, plateforme: of('PLATFORM_KEY')!, admin };
    return new DemonstrationService(child, of('URL')!, line, keys);
  }

  /** Output so far. */
  get printed(): string {
    return this.child.output + this.child.errors;
  }

  /** URL of its embedded database, as a superuser. */
  get databaseUrl(): string {
    const read = (name: string): string =>
      readFileSync(join(this.child.env.DATA_DIR!, 'postgres', name), 'utf8');
    const port = read('cluster/postmaster.pid').split('\n')[3];
    return `postgres://postgres:${read('password').trim()}@127.0.0.1:${port}/mandat`;
  }

  get dataDir(): string {
    return this.child.env.DATA_DIR!;
  }

  /** URL of its worker. */
  get workerUrl(): string {
    return `http://127.0.0.1:${this.child.env.WORKER_PORT}`;
  }

  async stop(): Promise<void> {
    await this.child.stop();
  }
}
