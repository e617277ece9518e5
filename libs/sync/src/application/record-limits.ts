import { DomainError } from '#shared/errors/domain-error';
import { SYNC_NESTED_RECORDS, SYNC_RECORDS } from '#shared/http/limits';

/** A list of records as a request has it: each is read when it is asked for. */
export type Records = Iterable<unknown> & { readonly length: number };

function tooMany(most: number, which: string): DomainError {
  return new DomainError(
    'Requete.TropVolumineuse',
    `One sync takes at most ${most.toLocaleString('en')} ${which}: send the rest in another one. Nothing was written.`,
  );
}

/**
 * @returns how many records the lists hold together
 * @throws DomainError `Requete.TropVolumineuse`
 */
export function countRecords(lists: readonly (Records | null | undefined)[]): number {
  const count = lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  if (count > SYNC_RECORDS) throw tooMany(SYNC_RECORDS, 'records over its lists');
  return count;
}

/** Counts the records that are nested in others, over one sync: what is returned throws `Requete.TropVolumineuse`. */
export function nestedCounter(): (count: number) => void {
  let nested = 0;
  return (count) => {
    nested += count;
    if (nested > SYNC_NESTED_RECORDS) throw tooMany(SYNC_NESTED_RECORDS, 'nested records');
  };
}
