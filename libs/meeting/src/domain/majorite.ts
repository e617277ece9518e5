import type { Decimal } from '#platform/input/decimal';
import type { Majorite } from './point.fields';

/** Votes on a proposal, by weight. */
export interface Cast {
  readonly pour: Decimal;
  readonly contre: Decimal;
  readonly abstentions: Decimal;
}

/**
 * Whether a proposal is adopted (docs/contract.md, "Meetings"). In whole numbers: a share that is exactly a half or two
 * thirds must not depend on rounding.
 *
 * - simple: more for than against, so that a tie is not adopted - absolue: more than half of all that was cast,
 * abstentions counted - deuxTiers: at least two thirds of what was cast for and against
 *
 * Where nothing was cast for it, a proposal is not adopted, whatever the majority.
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
