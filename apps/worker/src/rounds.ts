import type { RecurringWork } from '#platform/jobs/recurring-work';

/** Repeats a piece of work. The pause begins when a round has ended. The next round tries again after a failure. */
export class Rounds {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopping = false;

  /**
   * @param what name of the work, as `RecurringWork.attempt` has it
   * @param intervalMs pause between two rounds
   * @param work one round; it ends early once `isStopping` returns true
   */
  constructor(
    private readonly what: string,
    private readonly intervalMs: number,
    private readonly work: (isStopping: () => boolean) => Promise<void>,
    private readonly recurring: RecurringWork,
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
    await this.recurring.attempt(this.what, () => this.work(() => this.isStopping));
    if (this.isStopping) return;
    this.timer = setTimeout(() => this.start(), this.intervalMs);
  }
}
