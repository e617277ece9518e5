import * as fc from 'fast-check';
import { depth } from '../setup/depth';
import { type Group, guardians, seeded } from './support/ballot';
import { partyOf } from './support/ceremony';
import { boxOf, decryptionsOf, type Plain, plainCount } from './support/count';

interface Election {
  readonly guardians: number;
  readonly seuil: number;
  /** Numbers of the guardians in the order in which they decrypt. */
  readonly order: readonly number[];
  readonly options: readonly number[];
  readonly ballots: readonly Plain[];
  readonly seed: number;
}

/** Weights in ten-thousandths. A class often has one weight only, and often one without a common divisor. */
const weights: fc.Arbitrary<readonly bigint[]> = fc.oneof(
  fc.constantFrom([10_000n], [15_000n], [0n], [1n], [0n, 10_000n]),
  fc
    .array(fc.bigInt({ min: 0n, max: 40n }), { minLength: 1, maxLength: 4 })
    .map((all) => all.map((n) => n * 2_500n)),
  fc.array(fc.bigInt({ min: 1n, max: 60_000n }), { minLength: 1, maxLength: 5 }),
);

const elections: fc.Arbitrary<Election> = fc
  .record({
    guardians: fc.integer({ min: 1, max: 6 }),
    options: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    classes: fc.array(weights, { minLength: 1, maxLength: 4 }),
    seed: fc.nat(),
  })
  .chain(({ guardians: count, options, classes, seed }) => {
    const choices = fc.tuple(
      ...options.map((all) => fc.subarray(Array.from({ length: all }, (_, at) => at))),
    );
    const ballots = classes.map((of, at) =>
      fc.array(fc.record({ classe: fc.constant(at + 1), weight: fc.constantFrom(...of), choices }), {
        minLength: 1,
        maxLength: 6,
      }),
    );
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    return fc.record({
      guardians: fc.constant(count),
      seuil: fc.integer({ min: 1, max: count }),
      order: fc.shuffledSubarray(numbers, { minLength: count, maxLength: count }),
      options: fc.constant(options),
      ballots: fc.tuple(...ballots).map((all) => all.flat()),
      seed: fc.constant(seed),
    });
  });

describe('random elections with weights, classes and absent guardians', () => {
  let group: Group;
  beforeAll(async () => {
    group = await guardians.libsodium();
  });

  it('the decrypted sums are the plain count to the last figure', () => {
    fc.assert(
      fc.property(elections, ({ guardians: size, seuil, order, options, ballots, seed }) => {
        const random = seeded(`election ${seed}`);
        const { ceremony, members } = partyOf(group, size, seuil, random);
        const { count } = boxOf(ceremony, options, ballots, random);
        const present = order.slice(0, seuil).map((number) => members[number - 1]!);
        const decryptions = decryptionsOf(ceremony, count, present, random);
        expect(guardians.combine(ceremony, count, decryptions)).toEqual(plainCount(options, ballots));
      }),
      { numRuns: depth(12, 500), endOnFailure: true },
    );
  });
});
