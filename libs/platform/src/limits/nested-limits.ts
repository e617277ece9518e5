import { REQUETE } from '../errors/platform.errors';
import { DomainError } from '../errors/domain-error';
import { SYNC_KEPT_BYTES, SYNC_NESTED_RECORDS, SYNC_NESTED_REFUSALS } from './request-sizes';
import { fr, type Text } from '../errors/text';

/** Messages of the limits. They are made once, because a sync counts after each record. */
const MOST = {
  read: {
    en: `${say(SYNC_NESTED_RECORDS)} nested records`,
    fr: fr`${SYNC_NESTED_RECORDS} enregistrements imbriqués`,
  },
  refused: {
    en: `${say(SYNC_NESTED_REFUSALS)} nested records that are refused`,
    fr: fr`${SYNC_NESTED_REFUSALS} enregistrements imbriqués refusés`,
  },
  kept: {
    en: `${SYNC_KEPT_BYTES / 1_048_576} MB of nested records with their identifiers`,
    fr: fr`${SYNC_KEPT_BYTES / 1_048_576} Mo d'enregistrements imbriqués avec leurs identifiants`,
  },
} as const satisfies Record<string, Text>;

/** Limits of the nested records of one sync. A sync above them is refused. */
export class NestedLimits {
  private nested = 0;

  /** Counts records before they are read. @throws DomainError `Requete.TropVolumineuse` */
  read(count: number): void {
    this.nested += count;
    this.refuseUnless(this.nested <= SYNC_NESTED_RECORDS, MOST.read);
  }

  /** @throws DomainError `Requete.TropVolumineuse` */
  refused(count: number): void {
    this.refuseUnless(count <= SYNC_NESTED_REFUSALS, MOST.refused);
  }

  /** @throws DomainError `Requete.TropVolumineuse` */
  kept(bytes: number): void {
    this.refuseUnless(bytes <= SYNC_KEPT_BYTES, MOST.kept);
  }

  private refuseUnless(isWithin: boolean, most: Text): void {
    if (isWithin) return;
    throw new DomainError(REQUETE.TropVolumineuse, {
      en: `One sync takes at most ${most.en}: send the rest in another one. Nothing was written.`,
      fr: fr`Une synchronisation accepte au plus ${most.fr} : envoyez le reste dans une autre. Rien n'a été écrit.`,
    });
  }
}

function say(count: number): string {
  return count.toLocaleString('en');
}
