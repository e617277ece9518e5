import { REQUETE } from '#platform/errors/platform.errors';
import { DomainError } from '#platform/errors/domain-error';
import { SYNC_RECORDS } from '#platform/limits/request-sizes';
import { fr } from '#platform/errors/text';

/** A list of records of a request. The iterator reads them one by one. */
export type Records = Iterable<unknown> & { readonly length: number };

/**
 * @returns the number of records in all lists
 * @throws DomainError `Requete.TropVolumineuse`
 */
export function countRecords(lists: readonly (Records | null | undefined)[]): number {
  const count = lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  if (count > SYNC_RECORDS) {
    const most = SYNC_RECORDS.toLocaleString('en');
    throw new DomainError(REQUETE.TropVolumineuse, {
      en: `One sync takes at most ${most} records over its lists. Send the rest in another one. Nothing was written.`,
      fr: fr`Une synchronisation accepte au plus ${SYNC_RECORDS} enregistrements dans l'ensemble de ses listes. Envoyez le reste dans une autre. Rien n'a été écrit.`,
    });
  }
  return count;
}
