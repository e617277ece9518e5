/**
 * How far a sync has come. A record counts half once it has been checked and whole once it has been written, so that the
 * count moves through both parts of the work; it reaches `total` when all is written and not before.
 */
export class SyncProgress {
  private checked = 0;
  private written = 0;

  constructor(readonly total: number) {}

  /** Records worked through, from 0 to `total`. */
  get traites(): number {
    return Math.floor((this.checked + this.written) / 2);
  }

  /** Resets the progress, because the sync is tried again from its start. */
  restart(): void {
    this.checked = 0;
    this.written = 0;
  }

  /** Counts records as they are read for their check. */
  *over(records: Iterable<unknown>): Iterable<unknown> {
    for (const record of records) {
      yield record;
      this.checked++;
    }
  }

  /** Notes that a whole list has been written. */
  wrote(count: number): void {
    this.written += count;
  }
}
