/** Attempts at once to one endpoint, by one process, as long as it answers. */
const MOST_AT_ONCE = 16;

/** Deliveries that one process holds for one endpoint: about those of one second, within bounds; the minimum while it hangs. */
const FEWEST_HELD = 64;
export const MOST_HELD_OF_ONE = 512;
const SLOW_HELD = 16;
const WINDOW_MS = 250;

/** Time to keep the state of an endpoint after its last response. */
const KEPT_MS = 10_000;

/**
 * The work for one endpoint: some at once, the rest waits. An endpoint that lets an attempt run out of time gets one at
 * a time until it answers again, so that what hangs holds next to nothing of a process.
 */
export class Lane<T> {
  private readonly waiting: T[] = [];
  private readonly running = new Set<Promise<void>>();
  private atOnce = MOST_AT_ONCE;
  private mostHeld = FEWEST_HELD;
  private answers = 0;
  private windowStart = performance.now();

  /** @param work done for each; answers whether the endpoint answered in time, and never throws */
  constructor(private readonly work: (one: T) => Promise<boolean>) {}

  push(one: T): void {
    this.waiting.push(one);
    this.begin();
  }

  /** How many may be held for the endpoint. */
  get capacity(): number {
    return this.isSlow ? SLOW_HELD : this.mostHeld;
  }

  /** Returns the number of held deliveries at which more are fetched. */
  get refillAt(): number {
    // Fetch rarely: a hanging endpoint would otherwise be fetched in full each time.
    return this.isSlow ? 0 : this.mostHeld / 2;
  }

  private get isSlow(): boolean {
    return this.atOnce < MOST_AT_ONCE;
  }

  /** Waiting and running deliveries. */
  get count(): number {
    return this.waiting.length + this.running.size;
  }

  /** Whether it can be dropped: empty, not throttled, idle. */
  get isForgettable(): boolean {
    return this.count === 0 && !this.isSlow && performance.now() - this.windowStart > KEPT_MS;
  }

  /** Takes out what has not begun. */
  drop(): T[] {
    return this.waiting.splice(0);
  }

  /** Goes on with one at a time, since the endpoint hangs; answers what is no longer held for it. */
  slowDown(): T[] {
    this.slow();
    return this.waiting.splice(SLOW_HELD);
  }

  private slow(): void {
    this.atOnce = 1;
    this.mostHeld = FEWEST_HELD;
  }

  /** Waits for running attempts. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Measures how fast the endpoint responds. A slow one gets fewer deliveries, so it cannot fill the worker. */
  private measure(): void {
    this.answers += 1;
    const passed = performance.now() - this.windowStart;
    if (passed < WINDOW_MS && this.answers < MOST_HELD_OF_ONE) return;
    const inASecond = (this.answers * 1_000) / passed;
    this.mostHeld = Math.min(MOST_HELD_OF_ONE, Math.max(FEWEST_HELD, Math.floor(inASecond)));
    this.answers = 0;
    this.windowStart = performance.now();
  }

  private begin(): void {
    while (this.running.size < this.atOnce && this.waiting.length > 0) {
      const running: Promise<void> = this.work(this.waiting.shift()!).then((inTime) => {
        this.running.delete(running);
        if (inTime) {
          this.atOnce = Math.min(MOST_AT_ONCE, this.atOnce * 2);
          this.measure();
        } else this.slow();
        this.begin();
      });
      this.running.add(running);
    }
  }
}
