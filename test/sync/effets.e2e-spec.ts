import { eventually } from '../http/expect-problem';
import { perFile } from '../setup/fixtures';
import { type Answer, TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import {
  awayFromMidnight,
  employee,
  employer,
  job,
  type Loose,
  many,
  membership,
  Partner,
  today,
  union,
} from './support';

const app = perFile(() => TestApp.own('a worker runs'));
let worker: { close(): Promise<void> };
let partner: Partner;

beforeAll(async () => {
  worker = await startWorker(app.config);
});
afterAll(() => worker.close());
beforeEach(async () => {
  await awayFromMidnight();
  partner = await Partner.start(app);
});

/** Returns the header with these numbers; those not given are zero. */
function header(numbers: Readonly<Record<string, number>>): string {
  const names = ['crees', 'modifies', 'inchanges', 'termines', 'champs-vides', 'refuses'];
  expect(names).toEqual(expect.arrayContaining(Object.keys(numbers)));
  return names.map((name) => `${name}=${numbers[name] ?? 0}`).join(', ');
}

function expectEffets(answer: Answer, numbers: Readonly<Record<string, number>>): void {
  const { status, headers } = answer;
  expect([status, headers.get('mandat-effets')]).toEqual([200, header(numbers)]);
}

/** Sends a sync as a task and returns its read once it has ended. */
async function task(body: Loose, query = ''): Promise<Answer> {
  const { status, headers, json } = await partner.sync(body, query, { Prefer: 'respond-async' });
  expect([status, headers.get('mandat-effets')]).toEqual([202, null]);
  return eventually(async () => {
    const answer = await partner.send('GET', `/b2b/v2/tache/${String(json.id)}`);
    return answer.json.etat === 'Reussie' ? answer : undefined;
  }, 'The task');
}

/** The ways of a V2 sync that write. */
const WAYS: Readonly<Record<string, (Employes: Loose[]) => Promise<Answer>>> = {
  'a sync': (Employes) => partner.sync({ Employes }),
  'employe/upsert': (Employes) => partner.send('POST', '/b2b/v2/employe/upsert', Employes),
  'a task': (Employes) => task({ Employes }),
};

/** The two silent losses of an export. */
const LOSSES: readonly [what: string, lacking: (stored: Loose) => Loose, effets: Record<string, number>][] = [
  [
    'ends the second employment of each employee',
    (stored) => ({ ...stored, Emplois: [(stored.Emplois as Loose[])[0]!] }),
    // The employees and their first employments do not change.
    { inchanges: 60, termines: 20 },
  ],
  [
    'clears the address of each employee',
    (stored) => ({ ...stored, Courriel: null }),
    { modifies: 20, inchanges: 60, 'champs-vides': 20 },
  ],
];

describe('Mandat-Effets of a V2 sync', () => {
  const stored = (): Loose[] =>
    many(20, (index) =>
      employee(`E-${index}`, {
        Courriel: 'zoe@example.org',
        Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-2')],
        ...{ Adhesions: [membership('SYN')] },
      }),
    );

  it.each(
    LOSSES.flatMap(([what, lacking, effets]) =>
      Object.keys(WAYS).map((way) => [way, what, lacking, effets] as const),
    ),
  )('%s that %s says so; so does its simulation', async (way, _what, lacking, effets) => {
    await partner.employers('EMP-1', 'EMP-2');
    expectEffets(await partner.sync({ Employes: stored() }), { crees: 80 });
    const sent = stored().map(lacking);
    const before = await partner.versions();
    expectEffets(await partner.sync({ Employes: sent }, '?simulation=true'), effets);
    expectEffets(await task({ Employes: sent }, '?simulation=true'), effets);
    expect(await partner.versions()).toEqual(before);
    expectEffets(await WAYS[way]!(sent), effets);
    // Negative control: the same again ends and clears nothing.
    const inchanges = effets.inchanges! + (effets.modifies ?? 0);
    expectEffets(await WAYS[way]!(sent), { inchanges });
  });

  it('a task shows the same numbers as effets', async () => {
    const { json, headers } = await task({ Employes: [employee('E-1'), { IdExterne: 'E-2' }] });
    expect(json.effets).toEqual({
      ...{ crees: 1, modifies: 0, inchanges: 0, termines: 0, champsVides: 0, refuses: 1 },
    });
    expect(headers.get('mandat-effets')).toBe(header({ crees: 1, refuses: 1 }));
  });

  it('a response replayed for its Idempotency-Key has the effects of the first', async () => {
    const sync = (): Promise<Answer> =>
      partner.sync({ Employes: [employee('E-1')] }, '', { 'Idempotency-Key': 'k' });
    expectEffets(await sync(), { crees: 1 });
    const again = await sync();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectEffets(again, { crees: 1 });
  });

  it('a sent end counts as ended and not as changed, once; a DateFin that is cleared is no cleared value', async () => {
    await partner.employers('EMP-1');
    const withEnds = (DateFin: string | null): Loose[] => [
      employee('E-1', {
        Emplois: [job('J', 'EMP-1', { DateDebut: '2020-01-01', DateFin })],
        ...{ Adhesions: [membership('SYN', '2020-01-01', DateFin)] },
      }),
    ];
    expectEffets(await partner.sync({ Employes: withEnds(null) }), { crees: 3 });
    expectEffets(await partner.sync({ Employes: withEnds(today(30)) }), { modifies: 2, inchanges: 1 });
    expectEffets(await partner.sync({ Employes: withEnds(today()) }), { inchanges: 1, termines: 2 });
    expectEffets(await partner.sync({ Employes: withEnds(today(-1)) }), { modifies: 2, inchanges: 1 });
    expectEffets(await partner.sync({ Employes: withEnds(null) }), { modifies: 2, inchanges: 1 });
  });

  it('an employee whose custom values change has changed, once; a removed value is a cleared one', async () => {
    await partner.defineField('Poste', 'texte');
    await partner.defineField('Permis', 'booleen');
    const sent = (Nom: string, poste: string | null, permis: string | null): Loose => ({
      Employes: [
        employee('E-1', {
          Nom,
          ValeursChampUtilisateur: [
            { NomChamp: 'Poste', Valeur: poste },
            { NomChamp: 'Permis', Valeur: permis },
          ],
        }),
      ],
    });
    expectEffets(await partner.sync(sent('Roy', 'soudeur', 'true')), { crees: 1 });
    expectEffets(await partner.sync(sent('Roy', 'grutier', null)), { modifies: 1, 'champs-vides': 1 });
    expectEffets(await partner.sync(sent('Côté', null, 'true')), { modifies: 1, 'champs-vides': 1 });
    expectEffets(await partner.sync(sent('Côté', null, 'true')), { inchanges: 1 });
  });

  it('a union that gets another employer has changed; the employer counts by itself', async () => {
    const sync = (...ids: string[]): Promise<Answer> =>
      partner.sync({
        Syndicats: [
          union(
            'S-1',
            ids.map((id) => employer(id)),
          ),
          union('S-2', [employer('EMP-1')]),
        ],
      });
    // The second nesting of an employer changes nothing.
    expectEffets(await sync('EMP-1'), { crees: 3, inchanges: 1 });
    expectEffets(await sync('EMP-1', 'EMP-2'), { crees: 1, modifies: 1, inchanges: 3 });
    expectEffets(await sync('EMP-2'), { inchanges: 4 });
  });
});

describe('Mandat-Effets of a V1 sync', () => {
  const sync = (body: Loose, query = ''): Promise<Answer> =>
    partner.send('POST', `/b2b/v1/employe/sync${query}`, body);
  const person = (more: Loose): Loose => ({ idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy', ...more });

  it('counts over the three lists; a simulation says the same', async () => {
    const body = {
      employeurs: [{ idExterne: 'EMP-1', nom: 'Aciérie' }],
      objetsConsentement: [{ idExterne: 'INFO', nom: 'Infolettre' }],
      employes: [
        person({ courriel: 'zoe@example.org', identifiantExterneEmployeur: 'EMP-1' }),
        { idExterne: 'E-2' },
      ],
    };
    expectEffets(await sync(body, '?simulation=true'), { crees: 3, refuses: 1 });
    expectEffets(await sync(body), { crees: 3, refuses: 1 });
    expectEffets(await sync(body), { inchanges: 3, refuses: 1 });
    const cleared = { employes: [person({ courriel: null, identifiantExterneEmployeur: null })] };
    expectEffets(await sync(cleared, '?simulation=true'), { modifies: 1, 'champs-vides': 2 });
    expectEffets(await sync(cleared), { modifies: 1, 'champs-vides': 2 });
    expectEffets(await sync(cleared), { inchanges: 1 });
  });

  it('says that an employee without employer ends the employment V1; another name makes no second change', async () => {
    await partner.employers('EMP-1', 'EMP-2');
    await partner.employee('E-1', { Nom: 'Roy', Emplois: [job('J', 'EMP-1', { DateFin: today(-1) })] });
    const employer = (id: string | null, nom = 'Roy'): Promise<Answer> =>
      sync({ employes: [person({ nom, identifiantExterneEmployeur: id })] });
    expectEffets(await employer('EMP-2'), { modifies: 1 });
    expectEffets(await employer('EMP-2'), { inchanges: 1 });
    expectEffets(await employer(null, 'Côté'), { modifies: 1, termines: 1 });
    expectEffets(await employer(null, 'Côté'), { inchanges: 1 });
  });
});
