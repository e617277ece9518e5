import { until } from '../webhooks/support/receiver';
import { Child } from './child-process';

const START_MS = 60_000;

/** The level of errors in the log (pino). */
const ERROR_LEVEL = 50;

/** A built process that is restarted after each end. */
export class Mortal {
  kills = 0;
  /** Total time in ms during which no process was listening. */
  downMs = 0;
  private child: Promise<Child>;

  constructor(
    private readonly app: 'partner-api' | 'worker',
    private readonly env: Record<string, string>,
    private release?: string,
  ) {
    this.child = this.start();
  }

  /** Address of the running process, after it listens. */
  async url(): Promise<string> {
    return (await this.child).url;
  }

  /** The running process, or the next one. */
  running(): Promise<Child> {
    return this.child;
  }

  /** SIGKILL; the next one starts at once. */
  async kill(): Promise<void> {
    const victim = await this.child;
    this.kills += 1;
    this.replace(victim.stop('SIGKILL'));
  }

  /**
   * SIGTERM; the next one starts once it has ended.
   *
   * @param release the folder of the release of the next one; that of the present one by default
   * @returns how it ended, after how many milliseconds, and what it logged as an error
   */
  async stopInOrder(release = this.release): Promise<{
    code: number | NodeJS.Signals;
    ms: number;
    errors: string;
    logged: Record<string, unknown>[];
  }> {
    this.release = release;
    const leaving = await this.child;
    const begun = performance.now();
    const ended = leaving.stop('SIGTERM');
    this.replace(ended);
    const code = await ended;
    const logged = leaving.lines().filter(({ level }) => Number(level) >= ERROR_LEVEL);
    return { code, ms: performance.now() - begun, errors: leaving.errors, logged };
  }

  async end(): Promise<void> {
    await (await this.child).stop('SIGKILL');
  }

  private replace(ended: Promise<unknown>): void {
    this.child = ended.then(() => this.start());
    // Callers that wait for the process get the error of a failed start.
    this.child.catch(() => undefined);
  }

  private async start(): Promise<Child> {
    const begun = Date.now();
    const child = await Child.spawn(this.app, this.env, [], [], this.release);
    await until(
      `${this.app} listens`,
      () => {
        if (!child.isRunning) throw new Error(`${this.app} did not start: ${child.errors}${child.output}`);
        return child.output.includes('"msg":"listening"');
      },
      START_MS,
    );
    this.downMs += Date.now() - begun;
    return child;
  }
}
