import fc from 'fast-check';
import { UNITS } from '#platform/input/decimal';
import { isAdopted } from './majorite';
import { MAJORITES, type Majorite } from './point.fields';

const cast = (pour: bigint, contre: bigint, abstentions: bigint) => ({ pour, contre, abstentions });

describe('isAdopted', () => {
  it.each<
    [majorite: Majorite, pour: number, contre: number, abstentions: number, adopte: boolean, why: string]
  >([
    ['simple', 0, 0, 0, false, 'nothing cast'],
    ['simple', 0, 0, 9, false, 'abstentions only'],
    ['simple', 1, 0, 9, true, 'abstentions do not count'],
    ['simple', 5, 5, 0, false, 'a tie'],
    ['simple', 6, 5, 0, true, 'one more'],
    ['simple', 5, 6, 0, false, 'one less'],
    ['absolue', 0, 0, 0, false, 'nothing cast'],
    ['absolue', 0, 0, 9, false, 'abstentions only'],
    ['absolue', 5, 4, 1, false, 'exactly half of all cast'],
    ['absolue', 6, 4, 1, true, 'more than half of all cast'],
    ['absolue', 6, 0, 6, false, 'nobody against, and half abstain'],
    ['absolue', 5, 5, 0, false, 'a tie'],
    ['absolue', 1, 0, 0, true, 'a single vote'],
    ['deuxTiers', 0, 0, 0, false, 'nothing cast'],
    ['deuxTiers', 0, 0, 9, false, 'two thirds of nothing'],
    ['deuxTiers', 2, 1, 0, true, 'exactly two thirds'],
    ['deuxTiers', 2, 1, 100, true, 'abstentions do not count'],
    ['deuxTiers', 199_999, 100_000, 0, false, 'just below two thirds'],
    ['deuxTiers', 200_000, 100_000, 0, true, 'two thirds of many'],
    ['deuxTiers', 1, 0, 0, true, 'nobody against'],
    ['deuxTiers', 0, 1, 0, false, 'nobody for'],
  ])('%s: %d for, %d against, %d abstaining: %s (%s)', (majorite, pour, contre, abstentions, adopte) => {
    expect(isAdopted(majorite, cast(BigInt(pour), BigInt(contre), BigInt(abstentions)))).toBe(adopte);
  });

  it('distinguishes one unit more or less of the largest weights from the boundary', () => {
    // Ten thousand million, and a ten-thousandth less: two thirds are 6,666,666,666.6666… of it.
    const whole = 10_000_000_000n * UNITS;
    const atLeast = (2n * whole + 2n) / 3n;
    expect(isAdopted('deuxTiers', cast(atLeast, whole - atLeast, 0n))).toBe(true);
    expect(isAdopted('deuxTiers', cast(atLeast - 1n, whole - atLeast + 1n, 0n))).toBe(false);
    expect(isAdopted('absolue', cast(whole / 2n, whole / 2n, 0n))).toBe(false);
    expect(isAdopted('absolue', cast(whole / 2n + 1n, whole / 2n - 1n, 0n))).toBe(true);
  });

  it('agrees with shares as fractions, whatever the weights', () => {
    const weight = fc.oneof(fc.bigInt(0n, 6n), fc.bigInt(0n, 10n ** 14n));
    fc.assert(
      fc.property(weight, weight, weight, fc.boolean(), (contre, abstentions, any, nearBoundary) =>
        MAJORITES.every((majorite) => {
          // Half of them within two units of the boundary, where a rule that is nearly right goes wrong.
          const near = BOUNDARIES[majorite](contre, abstentions) + (any % 5n) - 2n;
          const pour = nearBoundary && near >= 0n ? near : any;
          return (
            isAdopted(majorite, cast(pour, contre, abstentions)) ===
            byFractions(majorite, pour, contre, abstentions)
          );
        }),
      ),
      { numRuns: 20_000 },
    );
  });
});

/** The weight for a proposal around which its fate turns. */
const BOUNDARIES: Record<Majorite, (contre: bigint, abstentions: bigint) => bigint> = {
  simple: (contre) => contre,
  absolue: (contre, abstentions) => contre + abstentions,
  deuxTiers: (contre) => 2n * contre,
};

/** The rule once more, by exact fractions in lowest terms that are compared digit by digit. */
function byFractions(majorite: Majorite, pour: bigint, contre: bigint, abstentions: bigint): boolean {
  const whole = majorite === 'absolue' ? pour + contre + abstentions : pour + contre;
  if (whole === 0n) return false;
  const order = compare(lowest(pour, whole), majorite === 'deuxTiers' ? [2n, 3n] : [1n, 2n]);
  return majorite === 'deuxTiers' ? order >= 0 : order > 0;
}

type Fraction = readonly [numerator: bigint, denominator: bigint];

function lowest(numerator: bigint, denominator: bigint): Fraction {
  let [one, other] = [numerator, denominator];
  while (other !== 0n) [one, other] = [other, one % other];
  return [numerator / one, denominator / one];
}

/** Compares by continued fractions: whole parts first, then the reciprocals of the remainders. */
function compare([a, b]: Fraction, [c, d]: Fraction): number {
  if (a / b !== c / d) return a / b < c / d ? -1 : 1;
  const [left, right] = [a % b, c % d];
  if (left === 0n || right === 0n) return left === right ? 0 : left === 0n ? -1 : 1;
  return compare([d, right], [b, left]);
}
