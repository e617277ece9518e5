/** Concurrent attempts to one endpoint by one process while it responds in time. */
const MOST_CONCURRENT = 16;

/** Deliveries that one process leases for one endpoint: about those of one second, within these bounds. */
const FEWEST_LEASED = 64;
export const MOST_LEASED = 512;

/** Leased deliveries of an endpoint, of which nothing is known yet, at which more are fetched. */
export const FIRST_REFILL_AT = FEWEST_LEASED / 2;

/** Leased deliveries of an endpoint that hangs. */
const SLOW_LEASED = 16;

/** Interval, in ms, over which responses are counted. */
const WINDOW_MS = 250;

/** Time to keep the state of an endpoint after its last response, in ms; and after its last timeout. */
const KEPT_MS = 10_000;
const SLOW_KEPT_MS = 600_000;

/**
 * The deliveries to one endpoint: some are attempted concurrently, the others wait. After a timeout the endpoint gets one
 * attempt at a time until it responds, because attempts to a hanging endpoint would occupy the process.
 */
export class EndpointQueue<T> {
  private readonly waiting: T[] = [];
  private readonly running = new Set<Promise<void>>();
  private concurrency = MOST_CONCURRENT;
  private mostLeased = FEWEST_LEASED;
  private responses = 0;
  private windowStart = performance.now();

  /**
   * @param attempt makes one attempt; returns whether the endpoint responded in time, and never throws
   * @param admit whether the next attempt may begin; after a refusal, `resume` asks again
   */
  constructor(
    private readonly attempt: (one: T) => Promise<boolean>,
    private readonly admit: (one: T) => boolean = () => true,
  ) {}

  push(one: T): void {
    this.waiting.push(one);
    this.begin();
  }

  /** Returns the number of deliveries that may be leased for the endpoint. */
  get capacity(): number {
    return this.isSlow ? SLOW_LEASED : this.mostLeased;
  }

  /** Returns the number of leased deliveries at which more are fetched. */
  get refillAt(): number {
    // Fetch rarely: a hanging endpoint would otherwise be fetched in full each time.
    return this.isSlow ? 0 : this.mostLeased / 2;
  }

  private get isSlow(): boolean {
    return this.concurrency < MOST_CONCURRENT;
  }

  /** Waiting and running deliveries. */
  get count(): number {
    return this.waiting.length + this.running.size;
  }

  /** Whether it can be dropped: empty, and idle for longer than its state is kept. */
  get isDisposable(): boolean {
    const keptMs = this.isSlow ? SLOW_KEPT_MS : KEPT_MS;
    return this.count === 0 && performance.now() - this.windowStart > keptMs;
  }

  /** Removes and returns the deliveries that have not begun. */
  drop(): T[] {
    return this.waiting.splice(0);
  }

  /** Continues with one attempt at a time, because the endpoint hangs. Removes and returns the excess deliveries. */
  slowDown(): T[] {
    this.slow();
    return this.waiting.splice(SLOW_LEASED);
  }

  private slow(): void {
    this.concurrency = 1;
    this.mostLeased = FEWEST_LEASED;
    this.windowStart = performance.now();
    this.responses = 0;
  }

  /** Waits for running attempts. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Measures how fast the endpoint responds. A slow one gets fewer deliveries, so it cannot fill the worker. */
  private measure(): void {
    this.responses += 1;
    const passed = performance.now() - this.windowStart;
    if (passed < WINDOW_MS && this.responses < MOST_LEASED) return;
    const perSecond = (this.responses * 1_000) / passed;
    this.mostLeased = Math.min(MOST_LEASED, Math.max(FEWEST_LEASED, Math.floor(perSecond)));
    this.responses = 0;
    this.windowStart = performance.now();
  }

  /** Begins attempts that were refused before. @returns whether any began */
  resume(): boolean {
    return this.begin();
  }

  private begin(): boolean {
    const before = this.waiting.length;
    while (this.running.size < this.concurrency && this.waiting.length > 0 && this.admit(this.waiting[0]!)) {
      const running: Promise<void> = this.attempt(this.waiting.shift()!).then((inTime) => {
        this.running.delete(running);
        if (inTime) {
          this.concurrency = Math.min(MOST_CONCURRENT, this.concurrency * 2);
          this.measure();
        } else this.slow();
        this.begin();
      });
      this.running.add(running);
    }
    return this.waiting.length < before;
  }
}
