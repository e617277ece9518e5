import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CAMPAIGN, type Made } from '../support/bundle';
import { differences, differencesInPython, describePython } from './support/check';
import { build, type Built, madeOf, SMALL, voterId } from './support/election';
import { CEREMONIES, FORGERIES, TINY } from './support/forgeries';
import { b64, bitsOf, Draws, seal, voterOf } from './support/prover';

/** All findings of each verifier in each forged bundle, in order. The Python verifier stops after the differing step. */
const FOUND = JSON.parse(readFileSync(join(__dirname, 'found.json'), 'utf8')) as Record<
  string,
  { 'mandat-verify': string[]; python: string[] }
>;

describe('forged bundles of encrypted votes', () => {
  let built: Built;
  beforeAll(() => {
    built = build(SMALL);
  }, 120_000);

  const forgeries: [string, () => Made][] = [
    ...Object.entries(FORGERIES).map(([name, forgery]): [string, () => Made] => [
      name,
      () => madeOf(built, forgery(built)),
    ]),
    ...Object.entries(CEREMONIES).map(([name, cheat]): [string, () => Made] => [
      name,
      () => madeOf(build(TINY, cheat)),
    ]),
    ['a class has fewer ballots than the threshold', () => madeOf(build({ ...TINY, seuilAnonymat: 2 }))],
  ];
  const made = new Map<string, Made>();
  const of = (name: string, make: () => Made): Made => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name)!;
  };

  it('each has an expected finding', () => {
    expect(forgeries.map(([name]) => name).sort()).toEqual(Object.keys(FOUND).sort());
    expect(Object.values(FOUND).filter((one) => one['mandat-verify'].length === 0)).toEqual([]);
    const ofOne = Object.entries(FOUND).filter(([, { python }]) => python.length === 0);
    expect(ofOne.map(([name]) => name)).toEqual(['the vote names other decimals']);
  });

  it.each(forgeries)('%s: found', async (name, make) => {
    expect(await differences(of(name, make))).toEqual(FOUND[name]!['mandat-verify']);
  });

  describePython('by the verifier in Python', () => {
    it('all are found', async () => {
      const found = await differencesInPython(forgeries.map(([name, make]) => of(name, make)));
      const expected = forgeries.map(([name]) => [name, FOUND[name]!.python]);
      expect(forgeries.map(([name], index) => [name, found[index]])).toEqual(expected);
    }, 500_000);
  });

  describe('with the roll', () => {
    const BALLOTS = 'chiffrement/bulletins.ndjson';

    it('a ballot of a person who is not on the roll, and a voter without a ballot: found', async () => {
      const stranger = voterId(99);
      const bundle = madeOf(built, {
        ballots: ([, ...rest], { vote, casts, small }) => {
          const bits = bitsOf(small.ballots[0]!.reponses, vote.questions);
          const bulletin = b64(seal(vote, stranger, bits, new Draws('stranger')).ballot);
          return [{ ...casts[0]!, bulletin, votant: b64(voterOf(CAMPAIGN, stranger)) }, ...rest];
        },
      });
      expect(await differences(bundle)).toEqual([]);
      expect(await differences(bundle, true)).toEqual([
        expect.stringMatching(`^${BALLOTS}:\\d: votant$`),
        `emargement.ndjson:1: AVote of ${voterId(0)}`,
      ]);
    });

    it('a ballot of a voter whom the roll does not mark: found', async () => {
      const bundle = madeOf(built);
      const roll = bundle.emargement.replace('"AVote":true', '"AVote":false');
      expect(await differences({ ...bundle, emargement: roll }, true)).toContainEqual(
        expect.stringMatching(`^${BALLOTS}:\\d: votant$`),
      );
    });

    it('two ballots with the weights of each other: found', async () => {
      const swapped = SMALL.ballots.map((one, index) => ({
        ...one,
        poids: index === 3 ? '4' : index === 6 ? '1' : one.poids!,
      }));
      const bundle = madeOf(build({ ...SMALL, ballots: swapped }), { change: { ballots: SMALL.ballots } });
      expect(await differences(bundle)).toEqual([]);
      expect((await differences(bundle, true)).map((one) => one.replace(/:\d:/, ':')).sort()).toEqual(
        [3, 6].map((index) => `${BALLOTS}: poids of voter ${voterId(index)}`).sort(),
      );
    });
  });
});
