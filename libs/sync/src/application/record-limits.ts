import { REQUETE } from '#platform/errors/platform.errors';
import { DomainError } from '#platform/errors/domain-error';
import { SYNC_RECORDS } from '#platform/input/limits';

/** A list of records as a request has it: each is read when it is asked for. */
export type Records = Iterable<unknown> & { readonly length: number };

/**
 * @returns how many records the lists hold together
 * @throws DomainError `Requete.TropVolumineuse`
 */
export function countRecords(lists: readonly (Records | null | undefined)[]): number {
  const count = lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  if (count > SYNC_RECORDS) {
    const most = SYNC_RECORDS.toLocaleString('en');
    throw new DomainError(
      REQUETE.TropVolumineuse,
      `One sync takes at most ${most} records over its lists: send the rest in another one. Nothing was written.`,
    );
  }
  return count;
}
