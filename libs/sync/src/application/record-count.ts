import { DomainError } from '#shared/errors/domain-error';
import { SYNC_RECORDS } from '#shared/http/limits';

/** Counts the records of one sync over its lists, as they are walked. */
export class RecordCount {
  private count = 0;

  /** @throws DomainError `Requete.TropVolumineuse` from the walk, at the first record too many */
  *over(records: Iterable<unknown> | null | undefined): Iterable<unknown> {
    for (const record of records ?? []) {
      if (++this.count > SYNC_RECORDS) {
        const most = SYNC_RECORDS.toLocaleString('en');
        throw new DomainError(
          'Requete.TropVolumineuse',
          `One sync takes at most ${most} records over its lists: send the rest in another one. Nothing was written.`,
        );
      }
      yield record;
    }
  }
}
