import type { Decimal } from '#platform/input/decimal';
import type { Majorite } from './point.fields';

/** Votes on a proposal, by weight. */
export interface Cast {
  readonly pour: Decimal;
  readonly contre: Decimal;
  readonly abstentions: Decimal;
}

/**
 * Returns whether a proposal is adopted (docs/contract.md, "Meetings"). Computes with whole numbers, because the result for
 * a share of exactly a half or two thirds must not depend on rounding.
 *
 * - `simple`: more for than against; a tie is not adopted.
 * - `absolue`: more than half of all votes, including abstentions.
 * - `deuxTiers`: at least two thirds of the votes for and against.
 *
 * A proposal without votes for it is never adopted.
 */
export function isAdopted(majorite: Majorite, { pour, contre, abstentions }: Cast): boolean {
  if (pour === 0n) return false;
  switch (majorite) {
    case 'simple':
      return pour > contre;
    case 'absolue':
      return 2n * pour > pour + contre + abstentions;
    case 'deuxTiers':
      return 3n * pour >= 2n * (pour + contre);
  }
}
