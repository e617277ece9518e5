import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asService } from '../setup/service-login';
import { cellVariables } from '../setup/two-cells';
import { eventually } from './expect-problem';
import { freePort } from '../../libs/embedded-postgres/src';

/** The folder of this release, with its compiled code in `dist`. */
export const THIS_RELEASE = join(__dirname, '../..');

/** A built process, run as in production, with its whole output. */
export class Child {
  readonly exited: Promise<number | NodeJS.Signals>;
  output = '';
  errors = '';
  private running = true;

  private constructor(
    readonly process: ChildProcess,
    /** Address of its HTTP server. */
    readonly url: string,
    readonly env: Record<string, string>,
  ) {
    process.stdout!.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    process.stderr!.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    this.exited = once(process, 'close').then(([code, signal]) => {
      this.running = false;
      rmSync(env.DATA_DIR!, { recursive: true, force: true });
      return (code ?? signal) as number | NodeJS.Signals;
    });
  }

  /**
   * Starts a process without waiting. API and worker log in to DATABASE_URL as `asService` says.
   *
   * @param before a command that runs the process
   * @param release the folder of the release that is run
   */
  static async spawn(
    app: 'partner-api' | 'worker' | 'cli',
    env: Record<string, string>,
    args: readonly string[] = [],
    before: readonly string[] = [],
    release = THIS_RELEASE,
  ): Promise<Child> {
    const port = await freePort();
    const own: Record<string, string> = {
      PATH: process.env.PATH!,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      DATA_DIR: mkdtempSync(join(tmpdir(), 'mandat-child-')),
      PORT: String(port),
      WORKER_PORT: String(port),
      ADMIN_API_KEY: randomBytes(32).toString('hex'),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      ...cellVariables(env),
      ...env,
      ...(app === 'cli' || !env.DATABASE_URL ? {} : { DATABASE_URL: asService(env.DATABASE_URL) }),
    };
    const [file, ...rest] = [
      ...before,
      process.execPath,
      join(release, 'dist/apps', app, 'src/main.js'),
      ...args,
    ];
    const child = spawn(file!, rest, { env: own, stdio: ['ignore', 'pipe', 'pipe'] });
    return new Child(child, `http://127.0.0.1:${port}`, own);
  }

  /** Starts a process and waits until it listens. */
  static async start(app: 'partner-api' | 'worker', env: Record<string, string>): Promise<Child> {
    const child = await Child.spawn(app, env);
    // A busy machine without compiled code takes some seconds.
    await eventually(
      () => {
        if (!child.isRunning) throw new Error(`${app} did not start: ${child.errors}${child.output}`);
        return child.output.includes('"msg":"listening"') || undefined;
      },
      'The start',
      60,
    );
    return child;
  }

  get isRunning(): boolean {
    return this.running;
  }

  /** Returns its log: each line must be JSON. */
  lines(): Record<string, unknown>[] {
    const lines = this.output.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /**
   * Sends a signal.
   *
   * @returns the exit code, after all output has arrived
   */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
    if (this.running) this.process.kill(signal);
    return this.exited;
  }
}
