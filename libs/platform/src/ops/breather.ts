/** Maximum time between event-loop yields, in ms. */
const LONGEST_MS = 8;

/** Yields to the event loop in a long computation, for other requests: `if (breather.isDue) await breather.rest()`. */
export class Breather {
  private since = performance.now();

  get isDue(): boolean {
    return performance.now() - this.since > LONGEST_MS;
  }

  async rest(): Promise<void> {
    await new Promise(setImmediate);
    this.since = performance.now();
  }
}
