import { expectFaults } from '../http/expect-problem';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { synced, syncedV1, times, walk } from './synced';
import { perFile, perTest } from '../setup/fixtures';

const app = perFile(() => TestApp.start());
const tenant = perTest(() => app.tenant());

type Filters = Record<string, string>;

const find = (filters: Filters = {}, caller = tenant): Promise<Answer> =>
  app.send(caller, 'GET', `/b2b/v2/emploi?${new URLSearchParams(filters).toString()}`);
/** Sends a query without escaping. */
const findRaw = (query: string) => app.send(tenant, 'GET', `/b2b/v2/emploi?${query}`);
const keysOf = ({ json }: Answer): string[] =>
  json.map((item: Item) => `${item.idExterneEmploye} ${item.identifiantExterne}`);

interface Item {
  identifiantExterne: string;
  idExterneEmploye: string;
  identifiantExterneEmployeur: string;
  matricule: string | null;
  dateDebut: string | null;
  dateFin: string | null;
}

const EMPLOYEURS = ['EMP-1', 'EMP-2', 'EMP_1', 'EMPX1', 'EMP%'];
/** Unions with their employers. EMP-2 has two unions, EMP% none. */
const SYNDICATS: Record<string, string[]> = {
  'SYN-1': ['EMP-1', 'EMP-2'],
  'SYN-2': ['EMP-2', 'EMP_1'],
  SYN_2: ['EMPX1'],
  'SYN-0': [],
};

/** Creates employers and unions; V1 creates an employer without a union, because only V1 has such employers. */
async function fillUnions(caller: TestTenant): Promise<void> {
  await syncedV1(app, caller, {
    employeurs: EMPLOYEURS.map((idExterne) => ({ idExterne, nom: `Usine ${idExterne}` })),
  });
  await synced(app, caller, {
    Syndicats: Object.entries(SYNDICATS).map(([IdentifiantExterne, employeurs]) => ({
      IdentifiantExterne,
      Nom: 'Syndicat',
      Employeurs: employeurs.map((employeur) => ({
        IdentifiantExterne: employeur,
        Nom: `Usine ${employeur}`,
      })),
    })),
  });
}

const personne = (IdExterne: string, ...Emplois: object[]) => ({
  IdExterne,
  Prenom: 'Zoé',
  Nom: 'Roy',
  Emplois,
});
const emploi = (IdentifiantExterne: string, rest: object = {}) => ({
  IdentifiantExterne,
  IdentifiantExterneEmployeur: 'EMP-1',
  Matricule: '20451',
  ...rest,
});
const personneV1 = (idExterne: string, identifiantExterneEmployeur?: string) => ({
  ...{ idExterne, prenom: 'Ève', nom: 'Côté', identifiantExterneEmployeur },
});

describe('GET /b2b/v2/emploi', () => {
  beforeEach(() => fillUnions(tenant));

  it('200 with every field in order, as compact JSON', async () => {
    const dates = { DateDebut: '2020-03-01T12:30:00.5-05:00', DateFin: '2024-06-30' };
    // One at a time: those of one request are created at the same time.
    await synced(app, tenant, { Employes: [personne('E-1', emploi('M-1'))] });
    await synced(app, tenant, { Employes: [personne('E-1', emploi('M-1'), emploi('M-2', dates))] });
    await syncedV1(app, tenant, { employes: [personneV1('V-1', 'EMP-2'), personneV1('V-0')] });
    const answer = await find();
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const zoe = { idExterneEmploye: 'E-1', prenom: 'Zoé', nom: 'Roy' };
    const usine = { identifiantExterneEmployeur: 'EMP-1', nomEmployeur: 'Usine EMP-1' };
    expect(answer.text).toBe(
      JSON.stringify([
        {
          identifiantExterne: 'M-1',
          ...zoe,
          ...usine,
          ...{ matricule: '20451', dateDebut: null, dateFin: null, actif: true },
        },
        {
          identifiantExterne: 'M-2',
          ...zoe,
          ...usine,
          matricule: '20451',
          dateDebut: '2020-03-01T17:30:00.500Z',
          dateFin: '2024-06-30T00:00:00.000Z',
          actif: false,
        },
        {
          identifiantExterne: 'V1',
          ...{ idExterneEmploye: 'V-1', prenom: 'Ève', nom: 'Côté' },
          ...{ identifiantExterneEmployeur: 'EMP-2', nomEmployeur: 'Usine EMP-2' },
          ...{ matricule: null, dateDebut: null, dateFin: null, actif: true },
        },
      ]),
    );
    expect((await app.send(tenant, 'GET', '/api/b2b/v2/emploi')).text).toBe(answer.text);
  });

  it('shows the current names', async () => {
    await synced(app, tenant, { Employes: [personne('E-1', emploi('M-1'))] });
    await synced(app, tenant, { Employes: [{ IdExterne: 'E-1', Prenom: 'Léa', Nom: 'Roy' }] });
    await app.send(tenant, 'PUT', '/b2b/v1/employeur', { idExterne: 'EMP-1', nom: 'Forge' });
    expect((await find()).json).toEqual([expect.objectContaining({ prenom: 'Léa', nomEmployeur: 'Forge' })]);
  });

  it('an employee written by V1 only has the employment V1; V2 keeps it, ended, beside its own', async () => {
    await syncedV1(app, tenant, { employes: [personneV1('V-1', 'EMP-1')] });
    expect(keysOf(await find())).toEqual(['V-1 V1']);
    const day = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Toronto' }).format();
    const before = day();
    await synced(app, tenant, { Employes: [personne('V-1', emploi('M-1'))] });
    const found = await find({ idExterneEmploye: 'V-1' });
    expect(keysOf(found).sort()).toEqual(['V-1 M-1', 'V-1 V1']);
    const ended = found.json.find((item: Item) => item.identifiantExterne === 'V1');
    expect(ended).toMatchObject({ matricule: null, dateDebut: null, actif: false });
    expect([`${before}T00:00:00.000Z`, `${day()}T00:00:00.000Z`]).toContain(ended.dateFin);
    // It is over from the day of its end on.
    expect(keysOf(await find({ actifLe: ended.dateFin }))).toEqual(['V-1 M-1']);
    // V1 writes its employer again.
    await syncedV1(app, tenant, { employes: [personneV1('V-1', 'EMP-2')] });
    expect(keysOf(await find({ identifiantExterneEmployeur: 'EMP-2' }))).toEqual(['V-1 V1']);
    // Without an employer of V1 and employments of V2 the list is empty.
    await syncedV1(app, tenant, { employes: [personneV1('V-2', 'EMP-1')] });
    await syncedV1(app, tenant, { employes: [{ ...personneV1('V-2'), identifiantExterneEmployeur: null }] });
    expect((await find({ idExterneEmploye: 'V-2' })).text).toBe('[]');
  });

  it.each([
    ['idExterneEmploye', 'E-0'],
    ['idExterneEmploye', 'e-1'],
    ['identifiantExterneEmployeur', 'EMP-9'],
    ['idExterneSyndicat', 'SYN-9'],
    ['idExterneSyndicat', 'SYN-0'],
    ['matricule', '204'],
    ['actifLe', '1900-01-01'],
  ])('200 [] for %s=%s, which no employment has', async (name, value) => {
    const dated = emploi('M-1', { DateDebut: '2020-01-01' });
    await synced(app, tenant, { Employes: [personne('E-1', dated)] });
    const answer = await find({ [name]: value, limite: '5' });
    expect([answer.status, answer.text, answer.headers.get('link')]).toEqual([200, '[]', null]);
    expect((await find()).json).toHaveLength(1);
  });

  it.each(['a/b', '100%', '%', '_', 'a%2Fb', '🙂👩', 'ü+ü', 'a;b=c&d', '"\\\'', '*', '--'])(
    'the identifiers %s are matched exactly',
    async (id) => {
      await syncedV1(app, tenant, { employeurs: [{ idExterne: id, nom: 'Ici' }] });
      await synced(app, tenant, {
        Syndicats: [
          { IdentifiantExterne: id, Nom: 'S', Employeurs: [{ IdentifiantExterne: id, Nom: 'Ici' }] },
        ],
        Employes: [
          personne(id, emploi(id, { IdentifiantExterneEmployeur: id, Matricule: id })),
          personne('E-1', emploi('M-1'), emploi('M-2', { Matricule: 'a' })),
        ],
      });
      for (const name of [
        'idExterneEmploye',
        'identifiantExterneEmployeur',
        'idExterneSyndicat',
        'matricule',
      ]) {
        expect(keysOf(await find({ [name]: id }))).toEqual([`${id} ${id}`]);
      }
    },
  );

  it('400 for unknown, duplicate, empty or too long parameters, and for invalid dates', async () => {
    const faults: [string, Record<string, string>][] = [
      ['idExterne=E-1', { '?idExterne': 'unknown' }],
      ['IdExterneEmploye=E-1', { '?IdExterneEmploye': 'unknown' }],
      ['modifieDepuis=2026-01-01&actif=true', { '?modifieDepuis': 'unknown', '?actif': 'unknown' }],
      ['matricule=1&matricule=2', { '?matricule': 'duplicate' }],
      ['idExterneEmploye=', { '?idExterneEmploye': 'required' }],
      ['identifiantExterneEmployeur=%20', { '?identifiantExterneEmployeur': 'required' }],
      ['idExterneSyndicat=', { '?idExterneSyndicat': 'required' }],
      ['matricule=', { '?matricule': 'required' }],
      ['actifLe=', { '?actifLe': 'required' }],
      [`matricule=${'x'.repeat(256)}`, { '?matricule': 'length' }],
      [`idExterneEmploye=${'x'.repeat(256)}`, { '?idExterneEmploye': 'length' }],
      ['matricule=%00', { '?matricule': 'characters' }],
      ['actifLe=2026-02-30', { '?actifLe': 'date' }],
      ['actifLe=2026-01-31T12:00:00', { '?actifLe': 'date' }],
      ['actifLe=hier', { '?actifLe': 'date' }],
      ['limite=0', { '?limite': 'range' }],
      ['curseur=x', { '?curseur': 'cursor' }],
    ];
    for (const [query, expected] of faults) expectFaults(await findRaw(query), expected);
  });
});

describe('GET /b2b/v2/emploi?actifLe', () => {
  beforeEach(async () => {
    await fillUnions(tenant);
    const spans: [string, string | null, string | null][] = [
      ['always', null, null],
      ['days', '2024-03-01', '2024-06-30'],
      ['times', '2024-03-01T15:00:00Z', '2024-06-30T15:00:00Z'],
      ['lastMoment', '2024-03-01T23:59:59.999Z', '2024-06-30T00:00:00.001Z'],
      ['oneDay', '2024-03-01', '2024-03-02'],
      ['empty', '2024-03-01', '2024-03-01'],
    ];
    const emplois = spans.map(([id, DateDebut, DateFin]) => emploi(id, { DateDebut, DateFin }));
    await synced(app, tenant, { Employes: [personne('E-1', ...emplois)] });
    await syncedV1(app, tenant, { employes: [personneV1('V-1', 'EMP-1')] });
  });

  const ALWAYS = ['E-1 always', 'V-1 V1'];
  const SPANS = ['E-1 days', 'E-1 lastMoment', 'E-1 times'];
  const expectActive = (answer: Answer, ...more: string[]) =>
    expect(keysOf(answer).sort()).toEqual([...ALWAYS, ...more].sort());

  it.each<[string, string[]]>([
    ['2024-02-29', []],
    ['2024-03-01', [...SPANS, 'E-1 oneDay']],
    ['2024-03-02', SPANS],
    ['2024-06-29', SPANS],
    // An employment that ends at the beginning of a day is over on it; one that ends later on the day is not. In Toronto,
    // lastMoment ends on the 29th at 20:00.
    ['2024-06-30', ['E-1 times']],
    ['2024-07-01', []],
    ['0001-01-01', []],
    ['9999-12-31', []],
  ])('on the day %s', async (day, active) => {
    expectActive(await find({ actifLe: day }), ...active);
  });

  it.each([
    ['2024-03-01T00:00:00Z', '2024-03-01'],
    ['2024-03-01T23:59:59.999Z', '2024-03-01'],
    ['2024-03-02T06:59:59+02:00', '2024-03-01'],
    ['2024-03-02T07:00:00+02:00', '2024-03-02'],
    ['2024-03-02T05:00:00Z', '2024-03-02'],
    ['2024-06-30T00:00:00-04:00', '2024-06-30'],
    ['2024-06-30T03:59:59.999Z', '2024-06-29'],
  ])(
    '%s means the day %s of the client’s time zone, also with an unescaped + of an offset',
    async (time, day) => {
      const expected = (await find({ actifLe: day })).text;
      expect((await find({ actifLe: time })).text).toBe(expected);
      expect((await findRaw(`actifLe=${time}`)).text).toBe(expected);
    },
  );

  it('actif of the item is computed for the tenant’s day', async () => {
    const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Toronto' }).format();
    // Toronto is 5 hours behind UTC in winter and 4 in summer.
    const midnightOf = (date: string) =>
      [4, 5].map((hour) => `${date}T0${hour}:00:00Z`).find((moment) => dayOf(moment) === date);
    const dayOf = (moment: string) =>
      new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Toronto' }).format(new Date(moment));
    let day: string;
    let found: Answer;
    let active: Answer;
    do {
      day = today();
      const after = new Date(Date.parse(day) + 86_400_000).toISOString();
      await synced(app, tenant, {
        Employes: [
          personne(
            'E-2',
            emploi('begins today', { DateDebut: day }),
            emploi('began late today', { DateDebut: `${day}T23:59:59Z` }),
            emploi('ends at midnight today', { DateFin: midnightOf(day) }),
            emploi('begins tomorrow', { DateDebut: after }),
            emploi('ends today', { DateFin: day }),
            emploi('ends late today', { DateFin: `${day}T23:59:59Z` }),
            emploi('ends tomorrow', { DateFin: after }),
          ),
        ],
      });
      found = await find({ idExterneEmploye: 'E-2' });
      active = await find({ idExterneEmploye: 'E-2', actifLe: day });
      // A midnight in between would change the question.
    } while (day !== today());
    const shown = found.json.filter(({ actif }: { actif: boolean }) => actif);
    expect(shown).toEqual(active.json);
    expect(keysOf(active).sort()).toEqual(
      ['began late today', 'begins today', 'ends late today', 'ends tomorrow'].map((id) => `E-2 ${id}`),
    );
  });
});

describe('GET /b2b/v2/emploi with several filters', () => {
  const FILTERS: Record<string, string[]> = {
    idExterneEmploye: ['E-1', 'E_1', 'V-1'],
    identifiantExterneEmployeur: ['EMP-1', 'EMP_1', 'EMP-2', 'EMP%'],
    idExterneSyndicat: ['SYN-1', 'SYN-2', 'SYN_2'],
    matricule: ['100', '1_0', '1%', 'A100'],
    actifLe: ['2024-03-01', '2024-06-30', '2031-01-01'],
  };
  const SPANS = [
    [null, null],
    ['2020-01-01', null],
    [null, '2024-06-30'],
    ['2024-03-01', '2024-06-30'],
    ['2024-06-30', '2031-01-01'],
    ['2030-01-01', null],
    ['2001-01-01', '2002-01-01'],
  ] as const;
  // Each identifier has a similar one beside it that a pattern or a case-insensitive comparison would match.
  const PEOPLE = ['E-1', 'E_1', 'EX1', 'e-1', 'E%', 'E-11', ...times(14, (n) => `P-${n}`)];
  const MATRICULES = ['100', '1_0', '1%', 'A100', 'a100', '1000', 'X100'];
  /** Any distribution without a pattern is sufficient; this one is always the same. */
  const pick = <T>(list: readonly T[], seed: number): T => list[(seed * 7919 + (seed >> 2)) % list.length]!;

  const V2 = PEOPLE.flatMap((person, p) =>
    times(1 + (p % 4), (m) => {
      const [debut, fin] = pick(SPANS, p * 5 + m * 3);
      return {
        person,
        id: `M-${m}`,
        employeur: pick(EMPLOYEURS, p + m * 11),
        matricule: pick(MATRICULES, p * 3 + m),
        ...{ debut, fin },
      };
    }),
  );
  const V1 = ['V-1', 'V_1', 'VX1', ...times(8, (n) => `W-${n}`)].map((person, n) => ({
    ...{
      person,
      id: 'V1',
      employeur: EMPLOYEURS[n % EMPLOYEURS.length]!,
      matricule: null,
      debut: null,
      fin: null,
    },
  }));

  let full: TestTenant;
  let items: Item[];
  beforeAll(async () => {
    full = await app.tenant();
    await fillUnions(full);
    const people = PEOPLE.map((person) =>
      personne(
        person,
        ...V2.filter((one) => one.person === person).map(({ id, employeur, matricule, debut, fin }) => ({
          ...{ IdentifiantExterne: id, IdentifiantExterneEmployeur: employeur, Matricule: matricule },
          ...{ DateDebut: debut, DateFin: fin },
        })),
      ),
    );
    const peopleV1 = V1.map(({ person, employeur }) => personneV1(person, employeur));
    // Alternately, because both kinds must be mixed in the order of creation.
    await synced(app, full, { Employes: people.slice(0, 7) });
    await syncedV1(app, full, { employes: peopleV1.slice(0, 4) });
    await synced(app, full, { Employes: people.slice(7, 12) });
    await syncedV1(app, full, { employes: [personneV1('V-0'), ...peopleV1.slice(4)] });
    await synced(app, full, { Employes: people.slice(12) });
    items = (await find({}, full)).json;
  });

  /** The meaning of the filters, in the simplest form. */
  function passes(item: Item, filters: Filters): boolean {
    const { idExterneEmploye, identifiantExterneEmployeur, idExterneSyndicat, matricule, actifLe } = filters;
    const employeur = item.identifiantExterneEmployeur;
    return (
      (idExterneEmploye === undefined || item.idExterneEmploye === idExterneEmploye) &&
      (identifiantExterneEmployeur === undefined || employeur === identifiantExterneEmployeur) &&
      (idExterneSyndicat === undefined || SYNDICATS[idExterneSyndicat]!.includes(employeur)) &&
      (matricule === undefined || item.matricule === matricule) &&
      (actifLe === undefined ||
        ((item.dateDebut === null || item.dateDebut.slice(0, 10) <= actifLe) &&
          (item.dateFin === null || item.dateFin > `${actifLe}T00:00:00.000Z`)))
    );
  }

  /** Returns all combinations of values for the names. */
  function choices([name, ...rest]: readonly string[]): Filters[] {
    if (name === undefined) return [{}];
    return choices(rest).flatMap((others) => FILTERS[name]!.map((value) => ({ [name]: value, ...others })));
  }
  const names = Object.keys(FILTERS);
  const subsets = times(2 ** names.length, (bits) => names.filter((_, bit) => bits & (1 << bit)));

  it('without filters all employments of both kinds are returned, as sent', () => {
    const line = (parts: (string | null)[]): string => parts.join(' ');
    const day = (date: string | null): string | null => date && `${date}T00:00:00.000Z`;
    const sent = [...V2, ...V1].map(({ person, id, employeur, matricule, debut, fin }) =>
      line([person, id, employeur, matricule, day(debut), day(fin)]),
    );
    const found = items.map((item) =>
      line([
        ...[item.idExterneEmploye, item.identifiantExterne, item.identifiantExterneEmployeur],
        ...[item.matricule, item.dateDebut, item.dateFin],
      ]),
    );
    expect(found.sort()).toEqual(sent.sort());
  });

  it.each(
    subsets
      .filter(({ length }) => length === 1 || length === 2)
      .map((subset) => [subset.join(' and '), subset] as const),
  )('%s: for each value exactly what a plain filter over all items finds', async (_what, subset) => {
    let some = 0;
    for (const filters of choices(subset)) {
      const expected = items.filter((item) => passes(item, filters));
      const answer = await find(filters, full);
      expect({ filters, found: answer.json }).toEqual({ filters, found: expected });
      if (expected.length > 0 && expected.length < items.length) some++;
    }
    // Lists that are all empty, or complete, would prove nothing.
    expect(some).toBeGreaterThanOrEqual(2);
  });

  it('negative control: patterns, or a case-insensitive comparison, would find other items', () => {
    const like = (value: string): RegExp =>
      new RegExp(`^${value.replaceAll('%', '.*').replaceAll('_', '.')}$`);
    const others: [keyof Item, string, RegExp][] = [
      ['matricule', '1_0', like('1_0')],
      ['matricule', '1%', like('1%')],
      ['matricule', 'A100', /^A100$/i],
      ['idExterneEmploye', 'E_1', like('E_1')],
      ['idExterneEmploye', 'E-1', /^E-1$/i],
      ['identifiantExterneEmployeur', 'EMP_1', like('EMP_1')],
      ['identifiantExterneEmployeur', 'EMP%', like('EMP%')],
    ];
    for (const [name, value, pattern] of others) {
      const expected = items.filter((item) => item[name] === value).length;
      expect(expected).toBeGreaterThan(0);
      expect(items.filter((item) => pattern.test(item[name] ?? '')).length).toBeGreaterThan(expected);
    }
  });

  it('three and more filters: exactly the items of a plain filter over all items', async () => {
    let some = 0;
    for (const subset of subsets.filter(({ length }) => length > 2)) {
      // All combinations with a result, as far as there are any, and some without.
      const all = choices(subset);
      const filled = all.filter((filters) => items.some((item) => passes(item, filters)));
      for (const filters of [...filled.slice(0, 6), ...all.slice(0, 2)]) {
        const expected = items.filter((item) => passes(item, filters));
        expect({ filters, found: (await find(filters, full)).json }).toEqual({ filters, found: expected });
        if (expected.length > 0) some++;
      }
    }
    expect(some).toBeGreaterThan(20);
  });

  it('pages over both kinds are in one order, that of creation, with filters and without', async () => {
    const { rows } = await app.database.query<{ key: string }>(
      `SELECT id_externe_employe || ' ' || identifiant_externe AS key, date_creation, id_unique FROM emploi WHERE tenant_id = $1
       UNION ALL
       SELECT id_externe || ' V1', date_creation, id_unique FROM employe
       WHERE tenant_id = $1 AND identifiant_externe_employeur IS NOT NULL
       ORDER BY date_creation, id_unique`,
      [full.tenantId],
    );
    const kinds = rows.map(({ key }) => (key.endsWith(' V1') ? 'V1' : 'V2')).join('');
    expect(kinds).toMatch(/^(V2)+(V1)+(V2)+(V1)+(V2)+$/);
    expect(keysOf(await find({}, full))).toEqual(rows.map(({ key }) => key));
    for (const [filters, limite] of [
      [{}, 1],
      [{}, 7],
      [{}, items.length],
      [{ idExterneSyndicat: 'SYN-1' }, 4],
      [{ actifLe: '2024-03-01', idExterneSyndicat: 'SYN-2' }, 3],
      [{ identifiantExterneEmployeur: 'EMP-1' }, 2],
    ] as [Filters, number][]) {
      const expected = items.filter((item) => passes(item, filters));
      const query = new URLSearchParams({ ...filters, limite: String(limite) }).toString();
      const pages = await walk<Item>(app, full, `/b2b/v2/emploi?${query}`);
      expect(pages.map(({ length }) => length)).toEqual(
        times(Math.ceil(expected.length / limite), (page) =>
          Math.min(limite, expected.length - page * limite),
        ),
      );
      expect(pages.flat()).toEqual(expected);
    }
  });
});

describe('paging while employments change', () => {
  it('an employment of V1 that V2 takes over is not lost between pages', async () => {
    await fillUnions(tenant);
    await syncedV1(app, tenant, { employes: times(10, (n) => personneV1(`V-${n}`, 'EMP-1')) });
    const first = await find({ limite: '5' });
    await synced(app, tenant, { Employes: ['V-1', 'V-8'].map((id) => personne(id, emploi('M-1'))) });
    const next = new URL(first.headers.get('link')!.slice(1).split('>')[0]!);
    const pages = await walk<Item>(app, tenant, next.pathname + next.search);
    const seen = new Set([...keysOf(first), ...keysOf({ json: pages.flat() } as Answer)]);
    expect([...seen].sort()).toEqual(keysOf(await find()).sort());
  });
});
