import fc from 'fast-check';
import { perFile } from '../setup/fixtures';
import { depth, IS_WHOLE, SEED } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import { contentOf, early, prepare, request, type State, stateOf } from './states';
import { awayFromMidnight, type Loose, Partner, today } from './support';

/** Pairs of states: a first sync, and a second one that is planned. */
const PAIRS = depth(40, 1_000);

const app = perFile(() => TestApp.start());

beforeEach(awayFromMidnight);

const hasEnded = (fields: Loose | undefined): boolean =>
  typeof fields?.DateFin === 'string' && fields.DateFin <= today();

/** The naive difference of two states, as a plan shows it. */
function difference(before: State, after: State): string[] {
  const changes: string[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(key), after.get(key)];
    const champs = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])]
      .map((champ) => ({
        champ: champ.split(' ')[0],
        avant: old?.[champ] ?? null,
        apres: now?.[champ] ?? null,
      }))
      .filter(({ avant, apres }) => avant !== apres);
    const changed = hasEnded(now) && old && !hasEnded(old) ? 'Termine' : 'Modifie';
    const nature = !old ? 'Cree' : !now ? 'Supprime' : changed;
    const [entite, idExterne, idExterneEmploye] = JSON.parse(key) as unknown[];
    if (champs.length > 0 || nature !== 'Modifie')
      changes.push(
        textOf({ entite, idExterne, idExterneEmploye: idExterneEmploye ?? undefined, nature, champs }),
      );
  }
  return changes.toSorted();
}

const textOf = ({ champs, ...rest }: Loose): string =>
  JSON.stringify([
    [rest.entite, rest.idExterne, rest.idExterneEmploye, rest.nature],
    (champs as Loose[]).map((one) => JSON.stringify([one.champ, one.avant, one.apres])).toSorted(),
  ]);

it(
  'a plan shows the naive difference of the states, and applying it leads to the state of a direct sync',
  async () => {
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(early, request, request, async (v1, first, second) => {
        const [planned, direct] = [await Partner.start(app), await Partner.start(app)];
        for (const partner of [planned, direct]) await prepare(partner, v1, first);
        const before = await stateOf(planned);
        const plan = (await planned.send('POST', '/b2b/v2/plan', second)).json;
        expect(contentOf(await stateOf(planned))).toEqual(contentOf(before));
        const id = String(plan.id);
        const shown = (await planned.get(`/b2b/v2/plan/${id}/changements`)) as unknown as Loose[];
        const applied = await planned.send('POST', `/b2b/v2/plan/${id}/appliquer`);
        const answer = await direct.sync(second);
        expect([applied.status, applied.json, applied.headers.get('mandat-effets')]).toEqual([
          200,
          answer.json,
          answer.headers.get('mandat-effets'),
        ]);
        const after = await stateOf(planned);
        expect(contentOf(after)).toEqual(contentOf(await stateOf(direct)));
        expect(shown.map(textOf).toSorted()).toEqual(difference(before, after));
        for (const { entite, nature } of shown) kinds.add(`${String(entite)} ${String(nature)}`);
        const numbers = plan.resume as Record<string, number>;
        const byEmployer = plan.parEmployeur as Record<string, number>[];
        for (const [name, total] of Object.entries(numbers))
          expect([name, byEmployer.reduce((sum, one) => sum + one[name]!, 0)]).toEqual([name, total]);
      }),
      { numRuns: PAIRS, seed: SEED },
    );
    // Each kind of change occurs, the rarest in some hundred pairs.
    const entites = ['Employe', 'Employeur', 'Syndicat', 'Emploi', 'Adhesion', 'ObjetConsentement'];
    const modified = entites.map((entite) => `${entite} Modifie`);
    const rare = IS_WHOLE ? [...modified, 'Adhesion Termine'] : [];
    expect([...kinds]).toEqual(
      expect.arrayContaining([...modified.slice(0, 4), 'Employe Cree', 'Emploi Termine', ...rare]),
    );
  },
  depth(120_000, 5_400_000),
);
