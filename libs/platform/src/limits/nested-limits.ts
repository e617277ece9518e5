import { REQUETE } from '../errors/platform.errors';
import { DomainError } from '../errors/domain-error';
import { SYNC_KEPT_BYTES, SYNC_NESTED_RECORDS, SYNC_NESTED_REFUSALS } from './request-sizes';

/** Limits of the nested records of one sync. A sync above them is refused. */
export class NestedLimits {
  private nested = 0;

  /** Counts records before they are read. @throws DomainError `Requete.TropVolumineuse` */
  read(count: number): void {
    this.nested += count;
    this.refuseUnless(this.nested <= SYNC_NESTED_RECORDS, `${say(SYNC_NESTED_RECORDS)} nested records`);
  }

  /** @throws DomainError `Requete.TropVolumineuse` */
  refused(count: number): void {
    this.refuseUnless(
      count <= SYNC_NESTED_REFUSALS,
      `${say(SYNC_NESTED_REFUSALS)} nested records that are refused`,
    );
  }

  /** @throws DomainError `Requete.TropVolumineuse` */
  kept(bytes: number): void {
    const megabytes = SYNC_KEPT_BYTES / 1_048_576;
    this.refuseUnless(bytes <= SYNC_KEPT_BYTES, `${megabytes} MB of nested records with their identifiers`);
  }

  private refuseUnless(isWithin: boolean, most: string): void {
    if (isWithin) return;
    throw new DomainError(
      REQUETE.TropVolumineuse,
      `One sync takes at most ${most}: send the rest in another one. Nothing was written.`,
    );
  }
}

function say(count: number): string {
  return count.toLocaleString('en');
}
