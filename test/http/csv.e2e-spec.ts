import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { openTenant, type OpenTenant, signed } from '../adhesion/support/cards';
import { synced, walk } from '../membership/synced';
import { perFile, perTest } from '../setup/fixtures';
import { type Answer, TestApp } from '../setup/test-app';
import { CSV, cellsOf, csvOf, expectSame, isFormula, parseCsv } from './csv';
import { expectFaults, expectProblem } from './expect-problem';

const EMPLOYES = '/b2b/v1/employe';
const LISTS = {
  '/b2b/v1/employe': 'employes',
  '/b2b/v2/employe': 'employes',
  '/b2b/v1/employeur': 'employeurs',
  '/b2b/v2/emploi': 'emplois',
  '/b2b/v1/adhesion': 'adhesions',
  '/b2b/v1/adhesion/E-1': 'adhesions',
  '/b2b/v2/adhesion': 'adhesions',
  '/b2b/v2/adhesion/E-1': 'adhesions',
};
const PATHS = Object.keys(LISTS);

/** Names that CSV must quote or neutralise. */
const NAMES = [
  'L’Écuyer 🦭',
  'Roy, fils',
  'Roy; fille',
  'dit "le Grand"',
  '"',
  'deux\nlignes',
  'et\r\ntrois',
  '=HYPERLINK("http://example.org","Roy")',
  '+1',
  '-1',
  '@x',
  '＝1',
];

const app = perFile(() => TestApp.start());
let open: OpenTenant;
const openAnother = async (): Promise<void> => void (open = await openTenant(app));

const json = (path: string, headers = {}) => app.send(open.partenaire, 'GET', path, undefined, headers);
const csv = (path: string) => csvOf(app, open.partenaire, path);

/** Makes a record of each list: with custom values, an employment, a membership, two cards and an empty field. */
async function fill(): Promise<void> {
  const champ = { nom: 'Note', type: 'texte' };
  expect((await app.send(open.partenaire, 'POST', '/b2b/v2/champ-utilisateur', champ)).status).toBe(201);
  await synced(app, open.partenaire, {
    Syndicats: [
      {
        IdentifiantExterne: 'SYN-1',
        Nom: '=Syndicat',
        Employeurs: [{ IdentifiantExterne: 'EMP-1', Nom: 'A, B' }],
      },
    ],
    Employes: [
      {
        ...{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy', TelephonePrincipal: '+1 418 555-0142' },
        Emplois: [{ IdentifiantExterne: 'M-1', IdentifiantExterneEmployeur: 'EMP-1', Matricule: '-7' }],
        Adhesions: [{ SyndicatIdExterne: 'SYN-1', DateAdhesion: '2026-01-01' }],
        ValeursChampUtilisateur: [{ NomChamp: 'Note', Valeur: '=1, "deux"' }],
      },
    ],
  });
  for (const syndicatIdExterne of ['SYN-1', 'SYN-2'])
    await signed(app, open.plateforme, { syndicatIdExterne, ville: '@Québec' });
}

/** Inserts employees, three to a millisecond. */
async function insert(count: number): Promise<void> {
  await app.database.query(
    `INSERT INTO employe (tenant_id, id_externe, nom, prenom, ville, date_creation)
     SELECT $1, 'X-' || n, '=Nom ' || n, 'Zoé "' || n || '"', repeat('é,', 20), timestamptz '2026-01-01Z' + n / 3 * interval '1 millisecond'
     FROM generate_series(1, $2::int) n`,
    [open.tenantId, count],
  );
}

async function rename(names: readonly string[]): Promise<void> {
  for (const [index, nom] of names.entries())
    await app.database.query(
      `INSERT INTO employe (tenant_id, id_externe, prenom, nom) VALUES ($1, $2, 'Zoé', $3)`,
      [open.tenantId, `N-${index}`, nom],
    );
}

beforeAll(async () => {
  await openAnother();
  await fill();
});

describe.each(PATHS)('GET %s as CSV', (path) => {
  it('has the fields of JSON as columns, and a row for each item', async () => {
    const [file, answer] = [LISTS[path as keyof typeof LISTS], await csv(path)];
    const rows = expectSame(answer, await json(path));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.flat().filter(isFormula)).toEqual([]);
    const { headers } = answer;
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${file}.csv"`);
    expect(headers.get('vary')).toMatch(/^Accept(,|$)/);
  });

  it('begins with the byte order mark of UTF-8', async () => {
    const response = await fetch(app.url + path, { headers: { ...CSV, 'X-Api-Key': open.partenaire.cle } });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(bytes.indexOf('\u{FEFF}', 3)).toBe(-1);
  });

  it('separateur=; separates by semicolons', async () => {
    const [answer, whole] = await Promise.all([csv(`${path}?separateur=;`), json(path)]);
    expectSame(answer, whole, ';');
    expect(answer.text).not.toBe((await csv(path)).text);
    expect((await csv(`${path}?separateur=,`)).text).toBe((await csv(path)).text);
  });

  it('separateur is 400 with another value, and without Accept: text/csv', async () => {
    for (const wrong of ['|', '%09', 'a'])
      expectProblem(await csv(`${path}?separateur=${wrong}`), 400, 'Requete.Invalide');
    expectFaults(await csv(`${path}?separateur=|`), '?separateur choice');
    expectFaults(await json(`${path}?separateur=;`), '?separateur unknown');
  });

  it('pages lead to the same rows, and a cursor continues the list in either type', async () => {
    const first = await csv(`${path}?limite=1&separateur=;`);
    expect(parseCsv(first.text, ';')).toHaveLength(2);
    const link = first.headers.get('link')?.match(/<([^>]+)>; rel="next"/)?.[1];
    const isWhole = (await json(path)).json.length === 1;
    expect(link === undefined).toBe(isWhole);
    if (link === undefined) return;
    const second = link.slice(app.config.publicUrl.length);
    expect(new URL(link).searchParams.get('separateur')).toBe(';');
    expectSame(await csv(second), await json(second.replace(/&?separateur=(;|%3B)/, '')), ';');
  });

  it('another tenant gets only a header', async () => {
    const { partenaire } = await openTenant(app);
    const [own, foreign] = await Promise.all([csv(path), csvOf(app, partenaire, path)]);
    const [header] = parseCsv(own.text);
    const ofOthers = parseCsv(foreign.text).slice(1).flat().join();
    if (foreign.status === 200) expect(parseCsv(foreign.text)[0]).toEqual(header);
    expect(ofOthers).not.toMatch(/EMP-1|555-0142|@Québec/);
  });

  it.each([
    ['no Accept', {}],
    ['*/*', { Accept: '*/*' }],
    ['application/json', { Accept: 'application/json' }],
    ['another type', { Accept: 'image/png' }],
    ['text/csv;q=0', { Accept: 'text/csv;q=0' }],
    ['JSON preferred', { Accept: 'text/csv;q=0.5, application/json' }],
  ])('%s gets JSON', async (_case, headers) => {
    const answer = await json(path, headers);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBeNull();
    expect(answer.headers.get('vary')).toMatch(/^Accept(,|$)/);
    expect(answer.json).toEqual((await json(path)).json);
  });
});

describe('cells', () => {
  beforeEach(openAnother);

  it('quotes, line ends, separators, emoji and formulas arrive as the same text', async () => {
    await rename(NAMES);
    const answer = await csv(EMPLOYES);
    const rows = expectSame(answer, await json(EMPLOYES));
    expect(rows.flat().filter(isFormula)).toEqual([]);
    const place = parseCsv(answer.text)[0]!.indexOf('nom');
    const names = rows.map((row) => row[place]).slice(-NAMES.length);
    expect(names).toEqual(NAMES.map((nom) => (isFormula(nom) ? `'${nom}` : nom)));
  });

  it('texts that begin with a tab or a carriage return are neutralised', async () => {
    // No write stores them; a restored database could have them.
    await rename(['\t=1', '\r=1']);
    const rows = expectSame(await csv(EMPLOYES), await json(EMPLOYES));
    expect(rows.flat().filter((cell) => cell.includes('=1'))).toEqual(["'\t=1", "'\r=1"]);
  });

  it('negative control: the same names as JSON are formulas', async () => {
    await rename(NAMES);
    const { json: items } = await json(EMPLOYES);
    const texts = items.map(({ nom }: { nom: string }) => nom);
    expect(texts.filter(isFormula)).toHaveLength(5);
    expect(cellsOf({ n: -1, t: '-1' })).toEqual([
      ['n', '-1'],
      ['t', "'-1"],
    ]);
  });
});

describe('a long list as CSV', () => {
  beforeEach(openAnother);

  it('10,000 employees are streamed, equal to JSON, and to the rows of their pages', async () => {
    await insert(10_000);
    const whole = await csv(EMPLOYES);
    expect(whole.headers.get('transfer-encoding')).toBe('chunked');
    expect(expectSame(whole, await json(EMPLOYES))).toHaveLength(10_002);
    const pages: string[][] = [];
    for (let next: string | undefined = `${EMPLOYES}?limite=1000`; next !== undefined;) {
      const page: Answer = await csv(next);
      pages.push(...parseCsv(page.text).slice(1));
      next = /<([^>]+)>; rel="next"/
        .exec(page.headers.get('link') ?? '')?.[1]
        ?.slice(app.config.publicUrl.length);
    }
    expect(pages).toEqual(parseCsv(whole.text).slice(1));
    expect(await walk(app, open.partenaire, `${EMPLOYES}?limite=1000`)).toHaveLength(11);
  });

  it('its first rows arrive before its last are read', async () => {
    await insert(40_000);
    const request = get(app.url + EMPLOYES, { headers: { ...CSV, 'X-Api-Key': open.partenaire.cle } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response, 'readable');
    await app.database.query(`DELETE FROM employe WHERE tenant_id = $1 AND id_externe > 'X-39'`, [
      open.tenantId,
    ]);
    const text = (await response.toArray()).join('').slice(1);
    expect(parseCsv(text).length).toBeGreaterThan(1_000);
    expect(text).not.toContain('X-39999');
  });
});

describe('errors and empty lists', () => {
  const tenant = perTest(() => app.tenant());
  beforeAll(async () => {
    await openAnother();
    await fill();
  });

  it.each(PATHS.filter((path) => !path.endsWith('E-1')))('an empty %s is a header', async (path) => {
    const answer = await csvOf(app, tenant, path);
    expect(answer.text).toMatch(/^\w+(\.\w+)?(,\w+(\.\w+)?)+\r\n$/);
    expect(parseCsv(answer.text)).toEqual(parseCsv((await csv(path)).text).slice(0, 1));
  });

  it('are problem details', async () => {
    expectProblem(await csvOf(app, undefined, EMPLOYES), 401, 'Cle.Invalide');
    expectFaults(await csvOf(app, tenant, `${EMPLOYES}?limite=0`), '?limite range');
    expectProblem(await csvOf(app, tenant, '/b2b/v2/adhesion/E-1'), 404, 'Employe.NotFound');
  });

  it('other lists are JSON, and refuse separateur', async () => {
    const answer = await csvOf(app, tenant, '/b2b/v2/syndicat');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expectFaults(await csvOf(app, tenant, '/b2b/v2/syndicat?separateur=;'), '?separateur unknown');
  });
});
