import type { Logger } from 'pino';
import { sqlState } from '#platform/database/sql-errors';

/** Work that is done again and again, each round some time after the last has ended; one that fails is logged. */
export class Rounds {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopping = false;

  /**
   * @param what names it in the log
   * @param work is given what to ask before each part: whether to stop
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

  /** Resolves once the part that is under way has ended. */
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
