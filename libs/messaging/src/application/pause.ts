/** First pause after a failure of the mail server, in ms; each further one is twice as long. */
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** Pause of all sending while the mail server is unavailable. */
export class Pause {
  private until = 0;
  private nextMs = FIRST_MS;

  /** Remaining time of the pause, in ms. */
  get leftMs(): number {
    return Math.max(0, this.until - performance.now());
  }

  /** Begins a pause, unless one is running. @returns whether it began */
  begin(): boolean {
    if (this.leftMs > 0) return false;
    this.until = performance.now() + this.nextMs;
    this.nextMs = Math.min(LONGEST_MS, this.nextMs * 2);
    return true;
  }

  /** The server has responded. @returns whether it had failed before */
  end(): boolean {
    const had = this.nextMs > FIRST_MS;
    this.until = 0;
    this.nextMs = FIRST_MS;
    return had;
  }
}
