import type { Logger } from 'pino';
import { sqlState } from '../errors/sql-errors';
import type { JobQueue } from './job-queue';
import type { Queue } from './queue';

/** Pause after a fetch that failed, in ms. */
const RETRY_MS = 1_000;

/** How a consumer works on its queue. */
export interface Consumption {
  /** Takes jobs and begins them. @returns pause until the next call in ms; 0 to continue at once */
  readonly fetch: () => Promise<number>;
  /** Renews the leases of all work that has not ended. */
  readonly renew: () => Promise<void>;
  /** Interval between two renewals, in ms. */
  readonly renewEveryMs: number;
  /** Log message for a fetch, renewal or return that failed. */
  readonly failure: string;
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

  constructor(
    private readonly jobs: JobQueue,
    private readonly queue: Queue,
    private readonly logger: Logger,
    private readonly consumption: Consumption,
  ) {}

  start(): void {
    this.loop = this.run();
    this.renewals = setInterval(() => {
      this.consumption.renew().catch((error: unknown) => this.warn(error));
    }, this.consumption.renewEveryMs);
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
    this.logger.warn({ sqlState: sqlState(error) }, this.consumption.failure);
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const pauseMs = await this.consumption.fetch().catch((error: unknown) => {
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
      const endPause = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.endPause = endPause;
    });
  }
}
