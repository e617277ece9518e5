/** Maximum time between event-loop yields, in ms. */
const LONGEST_MS = 8;

/** Yields to the event loop in a long computation, for other requests: `if (yielder.isDue) await yielder.yield()`. */
export class EventLoopYielder {
  private since = performance.now();

  get isDue(): boolean {
    return performance.now() - this.since > LONGEST_MS;
  }

  async yield(): Promise<void> {
    await new Promise(setImmediate);
    this.since = performance.now();
  }
}
