import fc from 'fast-check';
import { perFile } from '../setup/fixtures';
import { depth, IS_WHOLE, SEED } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import { BORN, type Step, step, Told, who } from './history';

/** Random histories, each of two data spaces: one renames its employees on the way, one has the last identifiers from the start. */
const HISTORIES = depth(6, 500);

const app = perFile(() => TestApp.start());

const NAMES = [...BORN, 'D', 'E'];

const renaming: fc.Arbitrary<Step> = fc
  .shuffledSubarray(NAMES, { minLength: BORN.length, maxLength: BORN.length })
  .map((to) => ({ kind: 'rename', to }));
const steps = (maxLength: number): fc.Arbitrary<Step[]> => fc.array(step, { minLength: 2, maxLength });
/** Steps that include one or two renamings. */
const history = fc
  .tuple(steps(8), renaming, steps(6), fc.option(renaming, { nil: undefined }), steps(4), who)
  .map(([first, one, then, two, last, voter]): Step[] => {
    // A voter votes before the renamings and tries again at the end.
    const [list, vote] = (['list', 'vote'] as const).map((kind) => ({ kind, who: voter, n: 0 }));
    return [...first, list!, vote!, one, ...then, ...(two ? [two] : []), ...last, vote!];
  });

it(
  'a history with renamings leads to the data of the same history under the last identifiers',
  async () => {
    const kinds = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(history, async (told) => {
        const last = told.findLast((one) => one.kind === 'rename')!;
        const [renamed, born] = [await Told.start(app, BORN), await Told.start(app, last.to)];
        for (const one of told) {
          const answers = [await renamed.perform(one, true), await born.perform(one, false)];
          expect(answers[0]).toBe(answers[1]);
          const kind = `${one.kind} ${answers[0]}`;
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        }
        expect(await renamed.shown()).toEqual(await born.shown());
      }),
      { numRuns: HISTORIES, seed: SEED, endOnFailure: true },
    );
    // The histories reach all steps, a second vote of the same person among them.
    const reached = [
      'sync 200',
      'put 200',
      'sign 201',
      'consent 201',
      'list 201',
      'vote 201',
      'vote 409',
      'request 201',
    ];
    expect([...kinds.keys()]).toEqual(expect.arrayContaining([...reached, 'rename 200']));
  },
  IS_WHOLE ? 5_400_000 : 300_000,
);
