import type { Logger } from 'pino';
import { sqlState } from '#platform/database/sql-errors';

/** Repeats a piece of work. The pause begins when a round has ended. A failure is logged, and the next round tries again. */
export class Rounds {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopping = false;

  /**
   * @param what name in the log
   * @param intervalMs pause between two rounds
   * @param work one round; it ends early once `isStopping` returns true
   */
  constructor(
    private readonly what: string,
    private readonly intervalMs: number,
    private readonly work: (isStopping: () => boolean) => Promise<void>,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.running = this.round();
  }

  /** Resolves when the current round has ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async round(): Promise<void> {
    try {
      await this.work(() => this.isStopping);
    } catch (error) {
      this.logger.warn({ sqlState: sqlState(error) }, `${this.what} failed and will be tried again`);
    }
    if (this.isStopping) return;
    this.timer = setTimeout(() => this.start(), this.intervalMs);
  }
}
