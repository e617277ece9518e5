/** Memory that several pieces of work share: each waits, first come first served, until what it needs is free. */
export class ByteBudget {
  private readonly waiting: { readonly bytes: number; readonly start: () => void }[] = [];
  private free: number;

  constructor(private readonly total: number) {
    this.free = total;
  }

  /** @param bytes what `work` needs until it ends; more than the whole budget counts as the whole */
  async hold<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    const share = Math.min(bytes, this.total);
    if (this.waiting.length > 0 || share > this.free) {
      await new Promise<void>((start) => this.waiting.push({ bytes: share, start }));
    } else {
      this.free -= share;
    }
    try {
      return await work();
    } finally {
      this.free += share;
      while (this.waiting[0] && this.waiting[0].bytes <= this.free) {
        const next = this.waiting.shift()!;
        this.free -= next.bytes;
        next.start();
      }
    }
  }
}
