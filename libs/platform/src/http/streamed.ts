/** An answer that can be long. It is made and sent part by part, as fast as the caller takes it. */
export class Streamed {
  /**
   * @param parts makes the parts; called twice for an answer that is also recorded
   * @param version changes with any byte of the answer, for its ETag
   * @param heldBytes bytes of the answer that are in memory until it is sent
   * @param records makes the rows of the answer as CSV, in batches
   */
  constructor(
    readonly parts: () => AsyncGenerator<Uint8Array, void>,
    readonly version?: string,
    readonly heldBytes = 0,
    readonly records?: () => AsyncGenerator<readonly object[], void>,
  ) {}
}
