import * as fc from 'fast-check';
import { depth } from '../setup/depth';
import { type Ceremony, type Group, guardians, seeded } from './support/ballot';
import { partyOf, type Party } from './support/ceremony';
import { boxOf, decryptionsOf, plainCount, type Plain } from './support/count';

const OPTIONS = [1];
const PLAIN: readonly Plain[] = [
  { classe: 1, weight: 15_000n, choices: [[0]] },
  { classe: 1, weight: 20_000n, choices: [[]] },
  { classe: 1, weight: 5_000n, choices: [[0]] },
];

function* subsets<T>(all: readonly T[], size: number): Generator<T[]> {
  if (size === 0) yield [];
  else
    for (let at = 0; at <= all.length - size; at++)
      for (const rest of subsets(all.slice(at + 1), size - 1)) yield [all[at]!, ...rest];
}

/** The ceremony as it would be with another threshold, to combine fewer files than are needed. */
const withThreshold = (ceremony: Ceremony, seuil: number): Ceremony =>
  Object.create(ceremony, { parameters: { value: { ...ceremony.parameters, seuil } } }) as Ceremony;

describe('a ceremony of n guardians with the threshold t', () => {
  let group: Group;
  beforeAll(async () => {
    group = await guardians.libsodium();
  });

  const sizes = fc
    .integer({ min: 1, max: 9 })
    .chain((count) => fc.tuple(fc.constant(count), fc.integer({ min: 1, max: count }), fc.nat()));

  it('any t guardians decrypt, any t - 1 find no number', () => {
    fc.assert(
      fc.property(sizes, ([count, seuil, seed]) => {
        const random = seeded(`ceremony ${seed}`);
        const party: Party = partyOf(group, count, seuil, random);
        const { ceremony } = party;
        expect([ceremony.round, ceremony.failure, ceremony.awaited]).toEqual([undefined, undefined, []]);
        const { count: sums } = boxOf(ceremony, OPTIONS, PLAIN, random);
        const decryptions = decryptionsOf(ceremony, sums, party.members, random);
        const expected = plainCount(OPTIONS, PLAIN);
        for (const some of subsets(decryptions, seuil))
          expect(guardians.combine(ceremony, sums, some)).toEqual(expected);
        for (const few of subsets(decryptions, seuil - 1)) {
          expect(() => guardians.combine(ceremony, sums, few)).toThrow(RangeError);
          expect(() => guardians.combine(withThreshold(ceremony, seuil - 1), sums, few)).toThrow(
            guardians.ImpossibleResult,
          );
        }
      }),
      { numRuns: depth(8, 60), endOnFailure: true, examples: [[[3, 2, 0]], [[1, 1, 0]]] },
    );
  });

  it('further files than t are left out, and a guardian counts once', () => {
    const random = seeded('left out');
    const { ceremony, members } = partyOf(group, 3, 2, random);
    const { count } = boxOf(ceremony, OPTIONS, PLAIN, random);
    const [first, second, third] = decryptionsOf(ceremony, count, members, random);
    expect(guardians.combine(ceremony, count, [third!, second!, first!])).toEqual(plainCount(OPTIONS, PLAIN));
    expect(() => guardians.combine(ceremony, count, [first!, first!])).toThrow(
      '2 guardians must decrypt; 1 have.',
    );
  });

  it('the document leads to the same ceremony, in any order of a round', () => {
    const { ceremony } = partyOf(group, 4, 3, seeded('document'));
    const fichiers = ceremony.files;
    const shuffled = [0, 4, 8].flatMap((start) => fichiers.slice(start, start + 4).reverse());
    const again = guardians.ceremonyOf(group, { ...ceremony.parameters, fichiers: shuffled });
    expect(again).toBeInstanceOf(guardians.Ceremony);
    expect((again as Ceremony).digest(3)).toEqual(ceremony.digest(3));
    expect((again as Ceremony).files).toEqual(fichiers);
  });

  it('says whose file is awaited', () => {
    const { ceremony } = partyOf(group, 3, 2, seeded('awaited'));
    const at = (files: number) => {
      const fichiers = ceremony.files.slice(0, files);
      const { round, awaited } = guardians.ceremonyOf(group, {
        ...ceremony.parameters,
        fichiers,
      }) as Ceremony;
      return [round, awaited];
    };
    expect([0, 1, 3, 5, 9].map(at)).toEqual([
      [1, [1, 2, 3]],
      [1, [2, 3]],
      [2, [1, 2, 3]],
      [2, [3]],
      [undefined, []],
    ]);
  });

  it.each([
    [0, 0],
    [10, 3],
    [3, 0],
    [3, 4],
  ])('%d guardians with the threshold %d cannot be', (count, seuil) => {
    const gardiens = Array.from({ length: count }, (_, at) => String(at));
    expect(() => guardians.ceremonyOf(group, { campagneId: '', gardiens, seuil, fichiers: [] })).toThrow(
      RangeError,
    );
  });
});
