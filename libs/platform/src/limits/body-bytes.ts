/** The bytes that one body has taken. */
export class BodyShare {
  bytes = 0;
}

/**
 * Memory for bodies that are read at the same time. It counts the bytes that have arrived, not those that were announced. A
 * body that may not take more waits; its sender's connection holds it back.
 *
 * Only the body whose reading began first may use all of it. The others leave enough for one whole body, so the first one
 * always ends and bodies never wait for each other in a circle.
 */
export class BodyBytes {
  /** Ordered by the beginning of their reading. */
  private readonly readers = new Set<BodyShare>();
  /** Bytes of complete bodies. They are released when the request ends. */
  private arrivedBytes = 0;
  private waiting: { readonly share: BodyShare; readonly start: () => void }[] = [];

  /** @param largest bytes of the largest body, which must fit */
  constructor(
    private free: number,
    private readonly largest: number,
  ) {}

  begin(): BodyShare {
    const share = new BodyShare();
    this.readers.add(share);
    return share;
  }

  /** Takes bytes that have arrived. @returns what to wait for before more is read, if anything */
  take(share: BodyShare, bytes: number): Promise<void> | undefined {
    // Arrived bytes are in memory already, so they count even beyond the limit.
    share.bytes += bytes;
    this.free -= bytes;
    return this.mayGoOn(share) ? undefined : new Promise((start) => this.waiting.push({ share, start }));
  }

  /** The body has arrived whole. The next one is now the first. */
  arrived(share: BodyShare): void {
    this.readers.delete(share);
    this.arrivedBytes += share.bytes;
    this.wake();
  }

  /** Gives its bytes back. */
  end(share: BodyShare): void {
    if (!this.readers.delete(share)) this.arrivedBytes -= share.bytes;
    this.free += share.bytes;
    this.wake();
  }

  private mayGoOn(share: BodyShare): boolean {
    const [first] = this.readers;
    return share === first ? this.free > 0 || this.arrivedBytes === 0 : this.free > this.largest;
  }

  private wake(): void {
    const ready = this.waiting.filter(({ share }) => this.mayGoOn(share));
    this.waiting = this.waiting.filter((one) => !ready.includes(one));
    for (const { start } of ready) start();
  }
}
