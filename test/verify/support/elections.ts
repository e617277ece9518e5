import * as fc from 'fast-check';

/** A ranked question with its ballots. Weights are whole multiples of `10 ** -decimals`. */
export interface Election {
  readonly options: number;
  readonly seats: number;
  readonly decimals: number;
  readonly rankings: readonly { readonly options: readonly number[]; readonly weight: number }[];
}

export const elections: fc.Arbitrary<Election> = fc
  .record({ options: fc.integer({ min: 2, max: 9 }), decimals: fc.constantFrom(0, 0, 1, 4) })
  .chain(({ options, decimals }) =>
    fc.record({
      options: fc.constant(options),
      decimals: fc.constant(decimals),
      seats: fc.integer({ min: 1, max: options }),
      rankings: fc.array(
        fc.record({
          options: fc.shuffledSubarray([...Array(options).keys()], { minLength: 1 }),
          // Small weights make ties frequent.
          weight: fc.integer({ min: 1, max: 4 }),
        }),
        { minLength: 1, maxLength: 40 },
      ),
    }),
  );
