/** Joins calls for single keys: one call runs at a time, and all keys that come meanwhile share the next one. */
export class SharedCalls<T> {
  private running: Promise<unknown> = Promise.resolve();
  private next: { readonly keys: Set<string>; readonly answer: Promise<T> } | undefined;

  constructor(private readonly call: (keys: readonly string[]) => Promise<T>) {}

  /** Returns the answer of a call that begins after this moment and includes the key. */
  with(key: string): Promise<T> {
    this.next ??= this.prepare();
    this.next.keys.add(key);
    return this.next.answer;
  }

  private prepare(): { readonly keys: Set<string>; readonly answer: Promise<T> } {
    const keys = new Set<string>();
    const answer = this.running.then(() => {
      this.next = undefined;
      return this.call([...keys].sort());
    });
    this.running = answer.catch(() => undefined);
    return { keys, answer };
  }
}
