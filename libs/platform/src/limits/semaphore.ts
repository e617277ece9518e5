/**
 * Lets at most so many calls run at once, in the order of arrival. p-limit does the same, but links each call to the next one. While
 * some wait, V8 then keeps the results of all calls until a full collection.
 */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  /** @param free how many further calls may run */
  constructor(private free: number) {}

  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((begin) => this.waiting.push(begin));
    try {
      return await call();
    } finally {
      const begin = this.waiting.shift();
      // It takes over the place.
      if (begin) begin();
      else this.free++;
    }
  }
}
