/**
 * Progress of a sync. A checked record counts as a half and a written record as one, because both take time. The count
 * reaches `total` when all records are written.
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

  /** Counts a written list. */
  wrote(count: number): void {
    this.written += count;
  }
}
