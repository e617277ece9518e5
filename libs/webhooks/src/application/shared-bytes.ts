/**
 * Bytes that several owners hold together. Each owner may hold as many as its own limit, and at most as many as it leaves
 * free: so owners whose receivers hang, however many, never take everything.
 */
export class SharedBytes {
  private readonly held = new Map<string, number>();
  private total = 0;

  /**
   * @param most bytes of all owners
   * @param mostOfOne bytes of one owner
   */
  constructor(
    private readonly most: number,
    private readonly mostOfOne: number,
  ) {}

  get free(): number {
    return this.most - this.total;
  }

  /** Returns how many more bytes an owner may take now; none if 0 or less. */
  roomOf(owner: string): number {
    const held = this.of(owner);
    return Math.min(this.mostOfOne - held, Math.floor((this.free - held) / 2));
  }

  of(owner: string): number {
    return this.held.get(owner) ?? 0;
  }

  take(owner: string, bytes: number): void {
    this.set(owner, this.of(owner) + bytes);
    this.total += bytes;
  }

  give(owner: string, bytes: number): void {
    this.take(owner, -bytes);
  }

  get isEmpty(): boolean {
    return this.held.size === 0;
  }

  private set(owner: string, bytes: number): void {
    if (bytes === 0) this.held.delete(owner);
    else this.held.set(owner, bytes);
  }
}
