import { expectFaults, expectProblem } from '../http/expect-problem';
import { synced, times } from '../membership/synced';
import { depth, SEED } from '../setup/depth';
import { seeded } from '../setup/seeded';
import type { Answer } from '../setup/test-app';
import { awayFromMidnight, employee, job, type Loose, membership, today } from '../sync/support';
import { ExplicationQuery } from '../../libs/voting/src/roll/persistence/explication.query';
import {
  asVoter,
  type Criteria,
  type Person,
  wire,
  EMPLOYERS,
  UNIONS,
  UNIONS_OF_EMPLOYERS,
} from './support/electorate';
import { voters } from './support/roll';
import { app, campaigns, newSpace, spaceOfEachTest, unchanged } from './support/scene';

interface Motif {
  code: string;
  critere: string | null;
  constat: string;
  reference: string | null;
  depuis: string | null;
  listeId: string | null;
}
interface Contrefactuel {
  changement: string;
  listeId: string;
  valeur: string | null;
  texte: string;
}
interface Explication {
  surLaListe: boolean;
  votantId: string | null;
  motifs: Motif[];
  contrefactuel?: Contrefactuel;
}

let id: string;

spaceOfEachTest({
  sync: UNIONS_OF_EMPLOYERS,
});
beforeEach(async () => {
  id = await campaigns.draft();
});

const sync = (...Employes: Loose[]): Promise<Answer> => synced(app, campaigns.tenant, { Employes });
const path = (rest = '', campaign = id): string => `/${campaign}/liste-electorale${rest}`;
const listed = (criteria: object, campaign = id): Promise<Answer> =>
  campaigns.sent('POST', path('', campaign), criteria);
const explained = async (name: string, campaign = id): Promise<Explication> =>
  (await campaigns.sent('GET', path(`/explication?idExterneEmploye=${name}`, campaign))).json as Explication;
/** Code, criterion, union or employer, and day of each reason. */
const told = ({ motifs }: Explication): unknown[] =>
  motifs.map(({ code, critere, reference, depuis }) => [
    code.replace('Motif.', ''),
    critere,
    reference,
    depuis?.slice(0, 10) ?? null,
  ]);
const eligible = async (
  name: string,
  language = 'fr',
  campaign = id,
  key?: { cle: string },
): Promise<Answer> => {
  const target = `/plateforme/v1/campagnes/${campaign}/eligibilite?idExterneEmploye=${name}`;
  const headers = { 'Accept-Language': language };
  return app.send(key ?? (await app.platformOf(campaigns.tenant)), 'GET', target, undefined, headers);
};

const UNION = 'SyndicatsIdExternes';
const EMPLOYER = 'EmployeursIdentifiantsExternes';
const NAMED = 'EmployesIdExternes';

describe('an employee who is not on the roll', () => {
  it.each<[string, Loose, Criteria, unknown[]]>([
    ['no union', {}, { [UNION]: ['SYN-1'] }, ['AdhesionAbsente', UNION, null, null]],
    [
      'another union',
      { Adhesions: [membership('SYN-2')] },
      { [UNION]: ['SYN-1'] },
      ['AdhesionAbsente', UNION, null, null],
    ],
    [
      'a later membership',
      { Adhesions: [membership('SYN-1', '2026-06-01')] },
      { [UNION]: ['SYN-1'], ActifsLe: '2026-05-31' },
      ['AdhesionPosterieure', UNION, 'SYN-1', '2026-06-01'],
    ],
    [
      'a membership that has ended',
      { Adhesions: [membership('SYN-1', '2020-01-01', '2026-05-31')] },
      { [UNION]: ['SYN-1'], ActifsLe: '2026-05-31' },
      ['AdhesionTerminee', UNION, 'SYN-1', '2026-05-31'],
    ],
    ['no employment', {}, { [EMPLOYER]: ['EMP-1'] }, ['EmployeurHorsCritere', EMPLOYER, null, null]],
    [
      'another employer',
      { Emplois: [job('J', 'EMP-2', { DateDebut: '2020-01-01' })] },
      { [EMPLOYER]: ['EMP-1'] },
      ['EmployeurHorsCritere', EMPLOYER, 'EMP-2', null],
    ],
    [
      'a later employment beside another employer',
      {
        Emplois: [
          job('J', 'EMP-2', { DateDebut: '2020-01-01' }),
          job('K', 'EMP-1', { DateDebut: '2026-06-01' }),
        ],
      },
      { [EMPLOYER]: ['EMP-1'], ActifsLe: '2026-05-31' },
      ['EmploiPosterieur', EMPLOYER, 'EMP-1', '2026-06-01'],
    ],
    [
      'an employment that has ended',
      { Emplois: [job('J', 'EMP-1', { DateDebut: '2020-01-01', DateFin: '2026-05-01' })] },
      { [EMPLOYER]: ['EMP-1'], ActifsLe: '2026-05-31' },
      ['EmploiTermine', EMPLOYER, 'EMP-1', '2026-05-01'],
    ],
    [
      'only an ended employment in a list of names',
      { Emplois: [job('J', 'EMP-1', { DateDebut: '2020-01-01', DateFin: '2026-05-01' })] },
      { [NAMED]: ['ELLE'], ActifsLe: '2026-05-31' },
      ['EmploiTermine', NAMED, 'EMP-1', '2026-05-01'],
    ],
    [
      'another name',
      { Adhesions: [membership('SYN-1')] },
      { [NAMED]: ['AUTRE'] },
      ['EmployeHorsCritere', NAMED, null, null],
    ],
  ])('gets the reason of %s', async (_case, record, criteria, motif) => {
    await sync(employee('ELLE', record), employee('AUTRE'));
    await listed(criteria);
    const explication = await explained('ELLE');
    expect(explication).toMatchObject({ surLaListe: false, votantId: null });
    expect(told(explication)).toContainEqual(motif);
  });

  it('gets the criteria that hold, too, by list, the newest first', async () => {
    await sync(employee('ELLE', { Adhesions: [membership('SYN-1', '2020-02-03')] }), employee('AUTRE'));
    await listed({ [UNION]: ['SYN-1'], [EMPLOYER]: ['EMP-1'] });
    await listed({ [NAMED]: ['AUTRE'] });
    expect(told(await explained('ELLE'))).toEqual([
      ['EmployeHorsCritere', NAMED, null, null],
      // A member would be a voter if the list named her.
      ['AdhesionActive', NAMED, 'SYN-1', '2020-02-03'],
      ['EmployeurHorsCritere', EMPLOYER, null, null],
      ['AdhesionActive', UNION, 'SYN-1', '2020-02-03'],
    ]);
  });

  it('gets the reason that there is no list', async () => {
    await sync(employee('ELLE'));
    const explication = await explained('ELLE');
    expect(told(explication)).toEqual([['SansListe', null, null, null]]);
    expect(explication.contrefactuel).toBeUndefined();
  });

  it('gets the reason that a request removed the voter, and that only a new list adds it again', async () => {
    await sync(employee('ELLE', { Adhesions: [membership('SYN-1')] }));
    await listed({ [UNION]: ['SYN-1'] });
    await campaigns.sent('DELETE', `/${id}/votants/${(await explained('ELLE')).votantId}`);
    const explication = await explained('ELLE');
    expect(explication.motifs[0]).toMatchObject({ code: 'Motif.Retire', depuis: expect.any(String) });
    expect(explication.contrefactuel).toMatchObject({ changement: 'NouvelleListe', valeur: null });
    await listed({ [UNION]: ['SYN-1'] });
    expect(await explained('ELLE')).toMatchObject({ surLaListe: true });
  });
});

describe('a voter', () => {
  it('keeps the reasons of the enrolment, whatever the master data say later', async () => {
    await sync(
      employee('ELLE', {
        Adhesions: [membership('SYN-1', '2020-02-03')],
        Emplois: [job('J', 'EMP-1', { DateDebut: '2021-03-04' })],
      }),
    );
    await listed({ [UNION]: ['SYN-1'], [EMPLOYER]: ['EMP-1'], [NAMED]: ['ELLE'] });
    const before = await explained('ELLE');
    expect(told(before)).toEqual([
      ['AdhesionActive', UNION, 'SYN-1', '2020-02-03'],
      ['EmploiActif', EMPLOYER, 'EMP-1', '2021-03-04'],
      ['EmployeNomme', NAMED, null, null],
    ]);
    expect(before).toMatchObject({ surLaListe: true, votantId: expect.any(String) });
    expect(before.contrefactuel).toBeUndefined();
    await sync(
      employee('ELLE', {
        Adhesions: [membership('SYN-1', '2022-02-03', '2026-01-01')],
        Emplois: [job('J', 'EMP-1', { DateDebut: '2022-03-04', DateFin: '2026-01-01' })],
      }),
    );
    expect(await explained('ELLE')).toEqual(before);
  });

  it('gets the reasons of now when a difference is applied', async () => {
    await sync(employee('ELLE', { Adhesions: [membership('SYN-1', '2020-02-03')] }));
    await listed({ [UNION]: UNIONS });
    await sync(
      employee('ELLE', {
        Adhesions: [membership('SYN-1', '2020-02-03', '2026-01-01'), membership('SYN-2', '2025-01-01')],
      }),
    );
    const { empreinte } = (await campaigns.sent('GET', path('/ecarts'))).json;
    await campaigns.sent('POST', path('/ecarts/appliquer'), { empreinte, natures: ['AModifier'] });
    expect(told(await explained('ELLE'))).toEqual([['AdhesionActive', UNION, 'SYN-2', '2025-01-01']]);
  });

  it('gets the reasons of a voter that a request wrote, and of a right that was taken away', async () => {
    await sync(employee('ELLE', { Adhesions: [membership('SYN-1', '2020-02-03')] }), employee('MAIN'));
    await listed({ [UNION]: ['SYN-1'] });
    await campaigns.votant(id, { EmployeIdExterne: 'MAIN' });
    const { votantId } = await explained('ELLE');
    await campaigns.sent('PUT', `/${id}/votants/droit-de-vote`, {
      VotantIds: [votantId],
      ADroitDeVote: false,
    });
    expect(told(await explained('ELLE'))).toEqual([
      ['AdhesionActive', UNION, 'SYN-1', '2020-02-03'],
      ['DroitRetire', null, null, null],
    ]);
    expect(told(await explained('MAIN'))).toEqual([['InscritManuellement', null, null, null]]);
    // A change by a request takes the voter out of the list.
    await campaigns.sent('POST', `/${id}/votants/upsert`, { VotantId: votantId, Courriel: 'e@example.org' });
    expect(told(await explained('ELLE'))).toEqual([
      ['InscritManuellement', null, null, null],
      ['DroitRetire', null, null, null],
    ]);
  });
});

describe('the smallest change', () => {
  it.each<[string, Loose, Criteria, string, string | null]>([
    [
      'a later day',
      { Adhesions: [membership('SYN-1', '2026-06-01')] },
      { [UNION]: ['SYN-1'], ActifsLe: '2026-05-10' },
      'ActifsLe',
      '2026-06-01',
    ],
    [
      'an earlier day that is nearer',
      {
        Adhesions: [membership('SYN-1', '2020-01-01', '2026-05-08'), membership('SYN-2', '2026-05-20')],
      },
      { [UNION]: ['SYN-1', 'SYN-2'], ActifsLe: '2026-05-10' },
      'ActifsLe',
      '2026-05-07',
    ],
    ['a union', { Adhesions: [membership('SYN-2')] }, { [UNION]: ['SYN-1'] }, UNION, 'SYN-2'],
    [
      'an employer',
      { Emplois: [job('J', 'EMP-2', { DateDebut: '2020-01-01' })] },
      { [EMPLOYER]: ['EMP-1'] },
      EMPLOYER,
      'EMP-2',
    ],
    ['the name', { Adhesions: [membership('SYN-1')] }, { [NAMED]: ['AUTRE'] }, NAMED, 'ELLE'],
  ])('is %s', async (_case, record, criteria, changement, valeur) => {
    await sync(employee('ELLE', record), employee('AUTRE'));
    await listed(criteria);
    expect((await explained('ELLE')).contrefactuel).toMatchObject({ changement, valeur });
  });

  it('is none where two criteria fail', async () => {
    await sync(employee('ELLE'), employee('AUTRE'));
    await listed({ [UNION]: ['SYN-1'], [NAMED]: ['AUTRE'] });
    expect((await explained('ELLE')).contrefactuel).toBeUndefined();
  });
});

it('answers the member in its words, in French and in English', async () => {
  await sync(
    employee('ELLE', { Adhesions: [membership('SYN-1', '2020-01-01', '2026-03-01')] }),
    employee('LUI', { Adhesions: [membership('SYN-1')] }),
  );
  await listed({ [UNION]: ['SYN-1'] });
  const french = await eligible('ELLE');
  expect(french.headers.get('content-language')).toBe('fr');
  expect(french.json).toEqual({
    ...{ surLaListe: false, aDroitDeVote: false, votantId: null },
    texte: 'Vous n’êtes pas sur la liste électorale. Votre adhésion a pris fin le 2026-03-01.',
    motifs: [{ code: 'Motif.AdhesionTerminee', texte: 'Votre adhésion a pris fin le 2026-03-01.' }],
  });
  expect((await eligible('LUI', 'en')).json).toMatchObject({
    ...{ surLaListe: true, aDroitDeVote: true, votantId: expect.any(String) },
    texte: 'You may vote. You are a member of the union.',
  });
  const { constat } = (await explained('ELLE')).motifs[0]!;
  expect(constat).toBe('the membership of SYN-1 ended on 2026-03-01');
});

describe('a question', () => {
  it('about an unknown employee or campaign is 404, and nothing is written', async () => {
    await sync(employee('ELLE'));
    const other = await newSpace();
    const foreign = await other.draft();
    const key = await app.platformOf(campaigns.tenant);
    await unchanged(async () => {
      const asked = (query: string, campaign = id) =>
        campaigns.send('GET', path(`/explication${query}`, campaign));
      expectFaults(await asked(''), '?idExterneEmploye required');
      expectProblem(await asked('?idExterneEmploye=PERSONNE'), 404, 'Employe.NotFound');
      expectProblem(await asked('?idExterneEmploye=ELLE', foreign), 404, 'Campagne.NotFound');
      expectProblem(await eligible('ELLE', 'fr', foreign, key), 404, 'Campagne.NotFound');
      await explained('ELLE');
    });
  });

  it('by a former identifier is answered the present one', async () => {
    await sync(employee('ELLE'));
    await app.send(campaigns.tenant, 'POST', '/b2b/v2/employe/ELLE/nouvel-identifiant', {
      idExterne: 'NEUF',
    });
    const answer = await campaigns.send('GET', path('/explication?idExterneEmploye=ELLE'));
    expectProblem(answer, 404, 'Employe.NotFound');
    expect(answer.json.detail).toContain('NEUF');
  });
});

describe('the simulation of a list', () => {
  it('counts employees by reasons and writes nothing', async () => {
    await sync(
      ...times(3, (n) => employee(`M-${n}`, { Adhesions: [membership('SYN-1')] })),
      ...times(2, (n) =>
        employee(`T-${n}`, { Adhesions: [membership('SYN-1', '2020-01-01', '2026-01-01')] }),
      ),
      employee('RIEN'),
    );
    await campaigns.votant(id, { EmployeIdExterne: 'M-0' });
    const simulated = await unchanged(() => listedAs({ [UNION]: ['SYN-1'] }));
    expect(simulated.status).toBe(200);
    expect(simulated.json).toEqual({
      ...{ NombreVotants: 3, NombreAjoutes: 2, NombreDejaPresents: 1 },
      Motifs: [
        { Code: 'Motif.AdhesionAbsente', Nombre: 1 },
        { Code: 'Motif.AdhesionActive', Nombre: 3 },
        { Code: 'Motif.AdhesionTerminee', Nombre: 2 },
      ],
    });
    expect((await listed({ [UNION]: ['SYN-1'] })).json).toMatchObject({
      ...{ NombreVotants: 3, NombreAjoutes: 2, NombreDejaPresents: 1 },
    });
  });

  it('refuses what the list would be refused for', async () => {
    expectFaults(await listedAs({}), ' required');
    expectFaults(await listedAs({ [UNION]: ['INCONNU'] }), '/SyndicatsIdExternes/0 reference');
  });
});

const listedAs = (criteria: object): Promise<Answer> =>
  campaigns.send('POST', path('?simulation=true'), criteria);

describe('random worlds', () => {
  const chance = seeded(SEED);
  const random = (below: number): number => Math.floor(chance() * below);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
  const some = <T>(from: readonly T[]): T[] => from.filter(() => random(2) === 0);
  const DAY = 86_400_000;
  const FIRST = Date.parse('2026-05-01');
  const DAYS = 30;
  const moment = (): number => FIRST + random(DAYS) * DAY + (random(4) ? 0 : random(DAY));

  /** A span of days, of which some have no end. */
  function span(): { from: number; to: number } {
    const from = moment();
    const end = moment();
    return { from, to: random(3) > 0 && end - from > 2 * DAY ? end : Infinity };
  }

  const person = (): Person => ({
    unions: Object.fromEntries(some(UNIONS).map((name) => [name, span()])),
    jobs: times(random(3), () => ({ employer: pick(EMPLOYERS), ...span() })),
  });

  interface List {
    readonly id: string;
    readonly criteria: Criteria & { ActifsLe: string };
  }

  interface World {
    readonly campaign: string;
    readonly people: Record<string, Person>;
    readonly lists: readonly List[];
  }

  async function world(prefix: string): Promise<World> {
    const people = Object.fromEntries(times(8, (n) => [`${prefix}-${n}`, person()]));
    await sync(
      ...Object.entries(people).map(([name, { unions, jobs }]) =>
        employee(name, {
          Adhesions: Object.entries(unions).map(([one, { from, to }]) =>
            membership(one, wire(from), wire(to)),
          ),
          Emplois: jobs.map((held, n) =>
            job(`J-${n}`, held.employer, { DateDebut: wire(held.from), DateFin: wire(held.to) }),
          ),
        }),
      ),
    );
    const campaign = await campaigns.draft();
    const lists: List[] = [];
    for (let n = 0; n <= random(3); n++) {
      const criteria = {
        [UNION]: random(2) ? some(UNIONS) : [],
        [EMPLOYER]: random(2) ? some(EMPLOYERS) : [],
        [NAMED]: random(2) ? some(Object.keys(people)) : [],
        ActifsLe: new Date(FIRST + random(DAYS) * DAY).toISOString(),
      };
      if (criteria[UNION].length + criteria[EMPLOYER].length + criteria[NAMED].length === 0)
        criteria[UNION] = ['SYN-1'];
      lists.push({ id: (await listed(criteria, campaign)).json.Id as string, criteria });
    }
    return { campaign, people, lists };
  }

  const meets = (people: World['people'], name: string, criteria: Criteria): boolean =>
    asVoter(name, people[name]!, criteria) !== undefined;

  const named = (list: List): (typeof UNION | typeof EMPLOYER | typeof NAMED)[] =>
    ([UNION, EMPLOYER, NAMED] as const).filter((criterion) => list.criteria[criterion]!.length > 0);

  /** Each day by which the list would include the employee, by its distance. */
  const daysOf = (people: World['people'], name: string, { criteria }: List): number[] =>
    times(2 * DAYS, (n) => FIRST + (n - DAYS / 2) * DAY)
      .filter((day) => meets(people, name, { ...criteria, ActifsLe: new Date(day).toISOString() }))
      .map((day) => Math.abs(day - Date.parse(criteria.ActifsLe)) / DAY);

  /** The criteria of a list with one more name. */
  const withName = (
    { criteria }: List,
    criterion: typeof NAMED | typeof UNION | typeof EMPLOYER,
    name: string,
  ): Criteria => ({
    ...criteria,
    [criterion]: [...criteria[criterion]!, name],
  });

  async function check({ campaign, people, lists }: World): Promise<Record<string, number>> {
    const onRoll = new Set((await voters(campaign)).map((one) => one.EmployeIdExterne as string));
    const seen: Record<string, number> = {};
    for (const name of Object.keys(people)) {
      const explication = await explained(name, campaign);
      const { surLaListe, motifs, contrefactuel } = explication;
      expect({ name, surLaListe }).toEqual({ name, surLaListe: onRoll.has(name) });
      for (const { code } of motifs) seen[code] = (seen[code] ?? 0) + 1;
      const holds = ({ code }: Motif) =>
        ['AdhesionActive', 'EmploiActif', 'EmployeNomme', 'SansEmploi'].includes(code.replace('Motif.', ''));
      if (surLaListe) {
        expect(motifs.filter((motif) => !holds(motif))).toEqual([]);
        const first = lists.find(({ criteria }) => meets(people, name, criteria))!;
        expect(new Set(motifs.map(({ listeId }) => listeId))).toEqual(new Set([first.id]));
        continue;
      }
      for (const list of lists) {
        const ofList = motifs.filter(({ listeId }) => listeId === list.id);
        // Each criterion that the list has, and no other.
        expect(new Set(ofList.map(({ critere }) => critere))).toEqual(new Set(named(list)));
        // It is not on the roll, so each list lacks something.
        expect({ name, list, lacks: ofList.some((motif) => !holds(motif)) }).toMatchObject({ lacks: true });
      }
      const distances = lists.flatMap((list) => daysOf(people, name, list));
      const nearest = distances.length > 0 ? Math.min(...distances) : undefined;
      const names = lists.flatMap((list) =>
        named(list).flatMap((criterion) =>
          [...(criterion === UNION ? UNIONS : criterion === EMPLOYER ? EMPLOYERS : [name])].filter(
            (one) =>
              !list.criteria[criterion]!.includes(one) && meets(people, name, withName(list, criterion, one)),
          ),
        ),
      );
      const list = lists.find((one) => one.id === contrefactuel?.listeId)!;
      const changed = contrefactuel?.changement ?? 'none';
      seen[changed] = (seen[changed] ?? 0) + 1;
      if (nearest !== undefined) {
        expect({ name, changed }).toEqual({ name, changed: 'ActifsLe' });
        const distance =
          Math.abs(Date.parse(contrefactuel!.valeur!) - Date.parse(list.criteria.ActifsLe)) / DAY;
        expect({ name, distance }).toEqual({ name, distance: nearest });
      } else if (names.length > 0) {
        expect({ name, isName: ([UNION, EMPLOYER, NAMED] as string[]).includes(changed) }).toMatchObject({
          isName: true,
        });
      } else {
        expect({ name, changed }).toEqual({ name, changed: 'none' });
        continue;
      }
      // The change is tried.
      const criteria =
        changed === 'ActifsLe'
          ? { ...list.criteria, ActifsLe: contrefactuel!.valeur! }
          : withName(list, changed as typeof NAMED, contrefactuel!.valeur!);
      expect({ name, met: meets(people, name, criteria) }).toEqual({ name, met: true });
      const scratch = await campaigns.draft();
      await listed(criteria, scratch);
      expect((await voters(scratch)).map((one) => one.EmployeIdExterne)).toContain(name);
    }
    return seen;
  }

  it(
    'explain the roll for each employee, and the change that is named is the smallest that works',
    async () => {
      await awayFromMidnight();
      const seen: Record<string, number> = {};
      for (let n = 0; n < depth(12, 1_000); n++) {
        for (const [what, count] of Object.entries(await check(await world(`W${n}`))))
          seen[what] = (seen[what] ?? 0) + count;
      }
      const rare = [
        ...['AdhesionActive', 'AdhesionAbsente', 'AdhesionPosterieure', 'AdhesionTerminee', 'EmploiActif'],
        ...[
          'EmploiPosterieur',
          'EmploiTermine',
          'EmployeurHorsCritere',
          'EmployeNomme',
          'EmployeHorsCritere',
        ],
      ].map((code) => `Motif.${code}`);
      for (const what of [...rare, 'ActifsLe', UNION, EMPLOYER, NAMED, 'none'])
        expect({ what, isSeen: (seen[what] ?? 0) > 0 }).toEqual({ what, isSeen: true });
    },
    depth(120_000, 5_400_000),
  );

  it('notice an explanation that reads one predicate otherwise', async () => {
    await awayFromMidnight();
    const { found, nearest } = ExplicationQuery.prototype;
    const made: World[] = [];
    for (let n = 0; n < 5; n++) made.push(await world(`C${n}`));
    const checkAll = async (): Promise<void> => {
      for (const one of made) await check(one);
    };
    const CODES = { AdhesionTerminee: 'AdhesionActive', AdhesionAbsente: 'AdhesionActive' } as const;
    jest.spyOn(ExplicationQuery.prototype, 'found').mockImplementation(async function (
      this: ExplicationQuery,
      ...args: Parameters<typeof found>
    ) {
      const motifs = await found.apply(this, args);
      return motifs.map((motif) => ({
        ...motif,
        code: CODES[motif.code as keyof typeof CODES] ?? motif.code,
      }));
    });
    try {
      await expect(checkAll()).rejects.toThrow();
      jest.restoreAllMocks();
      jest.spyOn(ExplicationQuery.prototype, 'nearest').mockImplementation(async function (
        this: ExplicationQuery,
        ...args: Parameters<typeof nearest>
      ) {
        const variant = await nearest.apply(this, args);
        return variant?.change === 'jour' ? undefined : variant;
      });
      await expect(checkAll()).rejects.toThrow();
    } finally {
      jest.restoreAllMocks();
    }
    await checkAll();
  });
});

it('names the differences to apply where the master data have changed since the list was made', async () => {
  await sync(employee('ELLE'));
  await listed({ [UNION]: ['SYN-1'] });
  await sync(employee('ELLE', { Adhesions: [membership('SYN-1', today(-1))] }));
  expect((await explained('ELLE')).contrefactuel).toMatchObject({ changement: 'AppliquerEcarts' });
  const { empreinte } = (await campaigns.sent('GET', path('/ecarts'))).json;
  await campaigns.sent('POST', path('/ecarts/appliquer'), { empreinte, natures: ['AAjouter'] });
  expect(told(await explained('ELLE'))).toEqual([['AdhesionActive', UNION, 'SYN-1', today(-1).slice(0, 10)]]);
});
