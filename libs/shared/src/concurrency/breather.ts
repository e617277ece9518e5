/** How long a computation may keep everything else waiting. */
const LONGEST_MS = 8;

/** Lets other requests run in the middle of a long computation: `if (breather.isDue) await breather.rest()`. */
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
