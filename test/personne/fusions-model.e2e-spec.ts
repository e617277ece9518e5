import fc from 'fast-check';
import { perFile } from '../setup/fixtures';
import { depth, IS_WHOLE, SEED } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import type { Loose } from '../sync/support';
import { BORN, some, type Step, Told, who } from './history';

/** Random histories, each of two data spaces: in one the first person has two records that are merged on the way. */
const HISTORIES = depth(8, 500);

const app = perFile(() => TestApp.start());

const KEPT = BORN[0];
const DOUBLE = 'D';

/** A step of the first person concerns one of its records. */
type Doubled = { readonly one: Step; readonly id: string };

const kind = some(...(['put', 'sign', 'consent', 'list', 'vote', 'request'] as const));
/** Fields that one person has once. A record that leaves them out has none. */
const fields = fc.record(
  {
    Ville: some('Laval', 'Québec'),
    Adhesions: fc
      .subarray(['SYN-1', 'SYN-2'])
      .map((ids) => ids.map((SyndicatIdExterne) => ({ SyndicatIdExterne, DateAdhesion: '2020-01-01' }))),
    ValeursChampUtilisateur: some('58', '60').map((Valeur) => [{ NomChamp: 'Casque', Valeur }]),
  },
  { requiredKeys: [] },
);
/** Only one record has employments, because a sync ends those that it leaves out. */
const jobs = fc.subarray(['J-1', 'J-2'], { minLength: 1 }).map((ids) =>
  ids.map((IdentifiantExterne) => ({
    ...{ IdentifiantExterne, IdentifiantExterneEmployeur: 'EMP', Matricule: '7' },
  })),
);
const doubled = (employed: string): fc.Arbitrary<Doubled> =>
  fc
    .tuple(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ kind: fc.constant('sync' as const), who, fields }) },
        { weight: 6, arbitrary: fc.record({ kind, who, n: fc.nat(2) }) },
      ),
      some(KEPT, DOUBLE),
      fc.option(jobs, { nil: undefined }),
    )
    .map(([one, id, Emplois]) => ({
      id,
      one:
        one.kind === 'sync' && one.who === 0 && id === employed && Emplois
          ? { ...one, fields: { ...one.fields, Emplois } }
          : one,
    }));
const history = some(KEPT, DOUBLE).chain((employed) =>
  fc
    .tuple(
      fc.array(doubled(employed), { minLength: 3, maxLength: 8 }),
      fc.array(doubled(KEPT), { minLength: 1, maxLength: 4 }),
      some(KEPT, DOUBLE),
    )
    .map(([before, after, id]): [Doubled[], Doubled[]] => {
      // The person votes before, and tries it again at the end.
      const [list, vote] = (['list', 'vote'] as const).map((kind) => ({ id, one: { kind, who: 0, n: 0 } }));
      return [
        [...before, list!, vote!],
        [...after, vote!],
      ];
    }),
);

/** Returns the data of the API, except what depends on the source record of a place on the roll. */
async function shown(told: Told): Promise<unknown> {
  const lists = (await told.shown()) as [string, Loose[]][];
  return lists
    .filter(([path]) => !path.endsWith('/ecarts'))
    .map(([path, list]) => [path, list.map((one) => JSON.stringify(compared(path, one))).sort()]);
}

function compared(path: string, one: Loose): unknown {
  if (path.endsWith('/votants')) return [one.EmployeIdExterne, one.AVote];
  if (path.endsWith('/liste-electorale')) return one.EmployesIdExternes;
  return one;
}

it(
  'a history with two records of a person leads, merged, to the data of the same history of one record',
  async () => {
    const ends = { named: 0, refused: 0, compared: 0 };
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(history, async ([before, after]) => {
        const two = await Told.start(app, [...BORN, DOUBLE]);
        const one = await Told.start(app, BORN);
        for (const { one: step, id } of before) {
          two.ids = [id, ...BORN.slice(1)];
          let status = await two.perform(step, false);
          // The person votes with the place that it has.
          if (step.kind === 'vote' && step.who === 0 && status === 0) {
            two.ids = [id === KEPT ? DOUBLE : KEPT, ...BORN.slice(1)];
            status = await two.perform(step, false);
          }
          await one.perform(step, false);
          kinds.add(`${step.kind} ${status}`);
        }
        two.ids = BORN;
        const merged = await two.partner.send('POST', `/b2b/v2/employe/${KEPT}/fusion`, {
          idExterneAbsorbe: DOUBLE,
        });
        if (merged.status === 409) {
          expect(merged.json.code).toBe('Employe.FusionDeuxVotes');
          ends.refused++;
          return;
        }
        expect([merged.status, merged.text]).toEqual([200, expect.any(String)]);
        if (merged.json.effets.champs.length > 0) {
          ends.named++;
          return;
        }
        for (const { one: step } of after)
          expect(await two.perform(step, false)).toBe(await one.perform(step, false));
        expect(await shown(two)).toEqual(await shown(one));
        ends.compared++;
      }),
      { numRuns: HISTORIES, seed: SEED, endOnFailure: true },
    );
    expect(ends.compared).toBeGreaterThan(HISTORIES / 3);
    expect([...kinds]).toEqual(
      expect.arrayContaining(['sync 200', 'sign 201', 'consent 201', 'list 201', 'vote 201', 'request 201']),
    );
  },
  IS_WHOLE ? 5_400_000 : 300_000,
);
