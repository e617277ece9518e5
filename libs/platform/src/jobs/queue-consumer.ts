import type { Logger } from 'pino';
import { sqlState } from '../database/sql-errors';
import type { JobQueue } from './job-queue';
import type { Queue } from './queue';

/** Pause after a fetch that failed, in ms. */
const RETRY_MS = 1_000;

/** The callbacks of a consumer. */
export interface Consumption {
  /** Takes jobs and begins them. @returns pause until the next call in ms; 0 to continue at once */
  readonly fetch: () => Promise<number>;
  /** Renews the leases of all work that has not ended. */
  readonly renew: () => Promise<void>;
  /** Interval between two renewals, in ms. */
  readonly renewEveryMs: number;
}

/**
 * Consumes a queue: fetches in a loop, renews leases, and returns jobs that were not begun. Stop it in two steps: `stop`
 * ends the loop, and `close` ends the renewals once the running work has ended.
 */
export class QueueConsumer {
  private stopping = false;
  private loop: Promise<void> = Promise.resolve();
  private renewals: NodeJS.Timeout | undefined;
  private endPause: () => void = () => undefined;

  /** @param failure log message for a fetch, renewal or return that failed */
  constructor(
    private readonly jobs: JobQueue,
    private readonly queue: Queue,
    private readonly logger: Logger,
    private readonly failure: string,
  ) {}

  start({ fetch, renew, renewEveryMs }: Consumption): void {
    this.loop = this.run(fetch);
    this.renewals = setInterval(() => {
      renew().catch((error: unknown) => this.warn(error));
    }, renewEveryMs);
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  /** Ends the loop. Leases are still renewed. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
  }

  /** Ends the renewals. */
  close(): void {
    clearInterval(this.renewals);
  }

  /** Ends the present pause, because there is capacity for more work. */
  wake(): void {
    this.endPause();
  }

  /** Returns jobs to the queue. If this fails, another worker takes them when their leases end. */
  async giveBack(ids: readonly string[]): Promise<void> {
    await this.jobs.giveBack(this.queue, ids).catch((error: unknown) => this.warn(error));
  }

  warn(error: unknown): void {
    this.logger.warn({ sqlState: sqlState(error) }, this.failure);
  }

  private async run(fetch: Consumption['fetch']): Promise<void> {
    while (!this.stopping) {
      const pauseMs = await fetch().catch((error: unknown) => {
        this.warn(error);
        return RETRY_MS;
      });
      if (pauseMs > 0) await this.pause(pauseMs);
    }
  }

  private pause(ms: number): Promise<void> {
    if (this.stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
