/** Bodies of events while attempts send them. Attempts of one event share one body. */
export class EventBodies {
  private readonly bodies = new Map<string, { readonly body: Promise<Buffer | undefined>; users: number }>();

  /**
   * Runs `work` with the body of an event.
   *
   * @param event identifies it among those of all data spaces
   * @param make makes the body, unless another attempt has it; undefined if the event was deleted
   */
  async use<T>(
    event: string,
    make: () => Promise<Buffer | undefined>,
    work: (body: Buffer | undefined) => Promise<T>,
  ): Promise<T> {
    const shared = this.bodies.get(event) ?? { body: make(), users: 0 };
    this.bodies.set(event, shared);
    shared.users += 1;
    try {
      return await work(await shared.body);
    } finally {
      shared.users -= 1;
      if (shared.users === 0) this.bodies.delete(event);
    }
  }

  get count(): number {
    return this.bodies.size;
  }
}
