import { expectFaults } from '../http/expect-problem';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { planAlone, rowsRead, statementsOf } from './plans';
import { GUID, INSTANT, synced, syncedV1, type SyncV2, times, walk } from './synced';
import { perFile, perTest } from '../setup/fixtures';

const SYNDICATS = [
  {
    IdentifiantExterne: 'SYN-1',
    Nom: 'Syndicat des aciéristes',
    Employeurs: [
      { IdentifiantExterne: 'EMP-1', Nom: 'Aciérie du Saint-Laurent' },
      { IdentifiantExterne: 'EMP-2', Nom: 'Fonderie de Lévis' },
    ],
  },
  { IdentifiantExterne: 'SYN-2', Nom: 'Syndicat des fondeurs' },
];
const CHAMPS = [
  { nom: 'Surnom', type: 'texte' },
  { nom: 'Ancienneté', type: 'date' },
  { nom: 'Bilingue', type: 'booleen' },
  {
    nom: 'Quart',
    type: 'choix',
    choix: [
      { idExterne: 'JOUR', libelle: 'De jour' },
      { idExterne: 'NUIT', libelle: 'De nuit' },
    ],
  },
];
const PERSONNE = { IdExterne: 'E-1', Prenom: 'Zoé', Nom: "L'Écuyer" };
const EMPLOI = { IdentifiantExterne: 'M-1', IdentifiantExterneEmployeur: 'EMP-1', Matricule: '20451' };
const ADHESION = { SyndicatIdExterne: 'SYN-1', DateAdhesion: '2021-05-01' };
const COMPLETE = {
  ...PERSONNE,
  NoMembre: 'M-204511',
  Courriel: 'zoe@example.org',
  TelephonePrincipal: '418 555-0142',
  Adresse1: '125, rue Saint-Jean',
  Ville: 'Trois-Rivières',
  Province: 'QC',
  CodePostal: 'G9A 1B2',
  Emplois: [
    {
      ...EMPLOI,
      IdentifiantExterne: 'M-3',
      DateDebut: '2015-01-01',
      Matricule: 'Ancien',
      DateFin: '2019-12-31',
    },
    { ...EMPLOI, IdentifiantExterne: 'M-1', DateDebut: '2020-03-01T12:30:00.5-05:00' },
    { ...EMPLOI, IdentifiantExterne: 'M-2', DateDebut: '2022-09-01', IdentifiantExterneEmployeur: 'EMP-2' },
  ],
  Adhesions: [{ SyndicatIdExterne: 'SYN-2', DateAdhesion: '2022-01-01' }, ADHESION],
  ValeursChampUtilisateur: [
    { NomChamp: 'Surnom', Valeur: 'Zo "la" forge' },
    { NomChamp: 'Ancienneté', Valeur: '2015-01-01T00:00:00-05:00' },
    { NomChamp: 'Bilingue', Valeur: 'false' },
    { NomChamp: 'Quart', Valeur: 'NUIT' },
  ],
};

const app = perFile(() => TestApp.start());
const tenant = perTest(() => space());

/** Opens a tenant with unions, employers and a custom field of each type. */
async function space(): Promise<TestTenant> {
  const made = await app.tenant();
  await synced(app, made, { Syndicats: SYNDICATS });
  for (const champ of CHAMPS) {
    expect((await app.send(made, 'POST', '/b2b/v2/champ-utilisateur', champ)).status).toBe(201);
  }
  return made;
}

const get = (path: string, headers?: Record<string, string>) =>
  app.send(tenant, 'GET', path, undefined, headers);
const write = (...Employes: object[]) => synced(app, tenant, { Employes });
const identifiers = ({ json }: Answer): string[] => json.map((item: { idExterne: string }) => item.idExterne);

/**
 * Makes all employees a minute older, because a later change must differ.
 *
 * @returns the time from then on
 */
async function age(): Promise<string> {
  const text = `UPDATE employe SET derniere_maj = derniere_maj - interval '1 minute' WHERE tenant_id = $1
                RETURNING to_char(derniere_maj + interval '30 seconds', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since`;
  const { rows } = await app.database.query<{ since: string }>(text, [tenant.tenantId]);
  return rows[0]!.since;
}

const changedSince = async (since: string, version = 'v2') =>
  identifiers(await get(`/b2b/${version}/employe?modifieDepuis=${since}`));

describe('GET /b2b/v2/employe/:idExterne', () => {
  it('200 with every field in order, lists by creation, memberships by date, as compact JSON', async () => {
    // One employment at a time: those of one request are created at the same time.
    for (const count of [1, 2, 3]) await write({ ...COMPLETE, Emplois: COMPLETE.Emplois.slice(0, count) });
    const answer = await get('/b2b/v2/employe/E-1');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { idUnique, derniereMAJ, dateCreation } = answer.json;
    expect(idUnique).toMatch(GUID);
    expect([derniereMAJ, dateCreation]).toEqual([
      expect.stringMatching(INSTANT),
      expect.stringMatching(INSTANT),
    ]);
    expect(answer.text).toBe(
      JSON.stringify({
        idExterne: 'E-1',
        prenom: 'Zoé',
        nom: "L'Écuyer",
        noMembre: 'M-204511',
        courriel: 'zoe@example.org',
        telephonePrincipal: '418 555-0142',
        adresse1: '125, rue Saint-Jean',
        ville: 'Trois-Rivières',
        province: 'QC',
        codePostal: 'G9A 1B2',
        emplois: [
          {
            identifiantExterne: 'M-3',
            identifiantExterneEmployeur: 'EMP-1',
            matricule: 'Ancien',
            dateDebut: '2015-01-01T00:00:00.000Z',
            dateFin: '2019-12-31T00:00:00.000Z',
            actif: false,
          },
          {
            identifiantExterne: 'M-1',
            identifiantExterneEmployeur: 'EMP-1',
            matricule: '20451',
            dateDebut: '2020-03-01T17:30:00.500Z',
            dateFin: null,
            actif: true,
          },
          {
            identifiantExterne: 'M-2',
            identifiantExterneEmployeur: 'EMP-2',
            matricule: '20451',
            dateDebut: '2022-09-01T00:00:00.000Z',
            dateFin: null,
            actif: true,
          },
        ],
        adhesions: [
          { syndicatIdExterne: 'SYN-1', dateAdhesion: '2021-05-01T00:00:00.000Z', dateFin: null },
          { syndicatIdExterne: 'SYN-2', dateAdhesion: '2022-01-01T00:00:00.000Z', dateFin: null },
        ],
        valeursChampUtilisateur: [
          { type: 'date', nom: 'Ancienneté', valeur: '2015-01-01T05:00:00.000Z' },
          { type: 'booleen', nom: 'Bilingue', valeur: false },
          { type: 'choix', nom: 'Quart', idExterneChoix: 'NUIT' },
          { type: 'texte', nom: 'Surnom', valeur: 'Zo "la" forge' },
        ],
        idUnique,
        derniereMAJ,
        dateCreation,
      }),
    );
  });

  it('V1 reads the same employee flat: the label of the choice, the other columns null, the latest active employer', async () => {
    await write(COMPLETE);
    const v2 = await get('/b2b/v2/employe/E-1');
    const v1 = await get('/b2b/v1/employe/E-1');
    expect(v1.text).toBe(
      JSON.stringify({
        idExterne: 'E-1',
        prenom: 'Zoé',
        nom: "L'Écuyer",
        noMembre: 'M-204511',
        courriel: 'zoe@example.org',
        identifiantExterneEmployeur: 'EMP-2',
        telephonePrincipal: '418 555-0142',
        adresse1: '125, rue Saint-Jean',
        ville: 'Trois-Rivières',
        province: 'QC',
        codePostal: 'G9A 1B2',
        valeursChampUtilisateur: [
          ['Ancienneté', null, '2015-01-01T05:00:00.000Z', null, null],
          ['Bilingue', null, null, false, null],
          ['Quart', null, null, null, 'De nuit'],
          ['Surnom', 'Zo "la" forge', null, null, null],
        ].map(([nom, valeurTexte, valeurDate, valeurBooleen, valeurChoix]) => ({
          ...{ nom, valeurTexte, valeurDate, valeurBooleen, valeurChoix },
        })),
        idUnique: v2.json.idUnique,
        derniereMAJ: v2.json.derniereMAJ,
        dateCreation: v2.json.dateCreation,
      }),
    );
    expect((await get('/b2b/v1/employe')).text).toBe(`[${v1.text}]`);
  });

  it('an employee without nested records has empty lists, also if others have many', async () => {
    await write(PERSONNE);
    const bare = { emplois: [], adhesions: [], valeursChampUtilisateur: [] };
    expect((await get('/b2b/v2/employe/E-1')).json).toMatchObject({
      ...bare,
      courriel: null,
      codePostal: null,
    });
    await write({ ...COMPLETE, IdExterne: 'E-2' });
    expect((await get('/b2b/v2/employe/E-1')).json).toMatchObject(bare);
  });

  it('the employer written by V1 is the employment V1, until V2 sends employments', async () => {
    const sent = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur: 'EMP-1' };
    await syncedV1(app, tenant, { employes: [sent] });
    const only = { identifiantExterne: 'V1', identifiantExterneEmployeur: 'EMP-1', matricule: null };
    expect((await get('/b2b/v2/employe/E-1')).json.emplois).toEqual([
      { ...only, dateDebut: null, dateFin: null, actif: true },
    ]);
    await write({ ...PERSONNE, Emplois: [{ ...EMPLOI, IdentifiantExterneEmployeur: 'EMP-2' }] });
    const { emplois } = (await get('/b2b/v2/employe/E-1')).json;
    expect(emplois).toHaveLength(2);
    expect(emplois).toContainEqual(expect.objectContaining({ identifiantExterne: 'M-1', actif: true }));
    expect(emplois).toContainEqual({
      ...only,
      dateDebut: null,
      dateFin: expect.stringMatching(/T00:00:00\.000Z$/),
      actif: false,
    });
    expect((await get('/b2b/v1/employe/E-1')).json.identifiantExterneEmployeur).toBe('EMP-2');
  });

  it('200 with the same under /api/b2b/v2/employes', async () => {
    await write(COMPLETE);
    const one = await get('/b2b/v2/employe/E-1');
    const list = await get('/b2b/v2/employe');
    expect(list.text).toBe(`[${one.text}]`);
    expect((await get('/api/b2b/v2/employes/E-1')).text).toBe(one.text);
    expect((await get('/api/b2b/v2/employe/E-1')).text).toBe(one.text);
    expect((await get('/api/b2b/v2/employes')).text).toBe(list.text);
  });

  it('304 without a body for If-None-Match with its ETag, 200 after any nested change', async () => {
    await write(COMPLETE);
    const etag = (await get('/b2b/v2/employe/E-1')).headers.get('etag')!;
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const held of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await get('/b2b/v2/employe/E-1', { 'If-None-Match': held });
      expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await get('/b2b/v2/employe/E-1', { 'If-None-Match': '"x"' })).status).toBe(200);
    await write({ ...PERSONNE, ValeursChampUtilisateur: [{ NomChamp: 'Bilingue', Valeur: 'true' }] });
    const changed = await get('/b2b/v2/employe/E-1', { 'If-None-Match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });
});

describe('GET /b2b/v2/employe', () => {
  it('400 for unknown, duplicate, empty or out-of-range parameters', async () => {
    const faults: [string, Record<string, string>][] = [
      ['idExterne=E-1', { '?idExterne': 'unknown' }],
      ['modifiedepuis=2026-01-01', { '?modifiedepuis': 'unknown' }],
      ['limite=5&limite=6', { '?limite': 'duplicate' }],
      ['limite=0', { '?limite': 'range' }],
      ['limite=1001&page=2', { '?limite': 'range', '?page': 'unknown' }],
      ['modifieDepuis=', { '?modifieDepuis': 'required' }],
      ['modifieDepuis=2026-02-30', { '?modifieDepuis': 'date' }],
      ['curseur=x', { '?curseur': 'cursor' }],
    ];
    for (const [query, expected] of faults) expectFaults(await get(`/b2b/v2/employe?${query}`), expected);
  });

  it('pages contain the list exactly once, in its order, and keep filter and alias in their links', async () => {
    for (const batch of ['B', 'C', 'A']) {
      await write(...times(20, (n) => ({ ...COMPLETE, IdExterne: `${batch}-${n}` })));
    }
    const whole = await get('/b2b/v2/employe');
    expect(identifiers(whole).map((id) => id.charAt(0))).toEqual([
      ...'B'.repeat(20),
      ...'C'.repeat(20),
      ...'A'.repeat(20),
    ]);
    for (const limite of [7, 20, 60, 1000]) {
      const pages = await walk(app, tenant, `/b2b/v2/employe?limite=${limite}`);
      expect(pages).toHaveLength(Math.ceil(60 / limite));
      expect(pages.flat()).toEqual(whole.json);
    }
    const link = (
      await get('/api/b2b/v2/employes?modifieDepuis=2026-01-01T00:00:00%2B00:00&limite=7')
    ).headers.get('link')!;
    expect(link).toMatch(/^<http:\/\/mandat\.test\/api\/b2b\/v2\/employes\?[^>]+>; rel="next"$/);
    const next = new URL(link.slice(1).split('>')[0]!);
    expect(Object.fromEntries(next.searchParams)).toEqual({
      modifieDepuis: '2026-01-01T00:00:00+00:00',
      limite: '7',
      curseur: expect.any(String),
    });
    expect((await get(next.pathname + next.search)).json).toEqual(whole.json.slice(7, 14));
  });

  it('employees of V1 and of V2 are in one list', async () => {
    await write({ ...PERSONNE, IdExterne: 'E-1', Emplois: [EMPLOI] });
    await syncedV1(app, tenant, { employes: [{ idExterne: 'E-0', prenom: 'Zoé', nom: 'Roy' }] });
    await write({ ...PERSONNE, IdExterne: 'E-2' });
    expect(identifiers(await get('/b2b/v2/employe'))).toEqual(['E-1', 'E-0', 'E-2']);
    expect(identifiers(await get('/b2b/v1/employe'))).toEqual(['E-1', 'E-0', 'E-2']);
  });

  describe('with 12,000 employees', () => {
    const BATCH = 3_000;
    let full: TestTenant;
    beforeAll(async () => {
      full = await space();
      // The order of the batches is not that of their identifiers.
      for (const batch of ['C', 'A', 'D', 'B']) {
        await synced(app, full, {
          Employes: times(BATCH, (n) => ({ ...COMPLETE, IdExterne: `${batch}-${n}` })),
        });
      }
    });

    it('the whole list is streamed, well-formed, in the order of creation', async () => {
      const answer = await app.send(full, 'GET', '/b2b/v2/employe');
      expect([answer.status, answer.headers.get('transfer-encoding')]).toEqual([200, 'chunked']);
      expect(answer.headers.get('link')).toBeNull();
      const items: { idExterne: string; idUnique: string; dateCreation: string; emplois: unknown[] }[] =
        answer.json;
      expect(items).toHaveLength(4 * BATCH);
      expect(
        items.filter(({ idExterne }, n) => idExterne.charAt(0) !== 'CADB'.charAt(Math.floor(n / BATCH))),
      ).toEqual([]);
      const place = ({ dateCreation, idUnique }: (typeof items)[0]): string => dateCreation + idUnique;
      expect(items.filter((item, n) => n > 0 && place(items[n - 1]!) >= place(item))).toEqual([]);
      expect(new Set(items.map(({ idExterne }) => idExterne)).size).toBe(4 * BATCH);
      expect(items.filter(({ emplois }) => emplois.length !== 3)).toEqual([]);
      expect(answer.text.slice(1, -1)).toBe(items.map((item) => JSON.stringify(item)).join(','));
    });

    it('pages of 1,000 give the same list', async () => {
      const whole = await app.send(full, 'GET', '/b2b/v2/employe');
      const pages = await walk(app, full, '/b2b/v2/employe?limite=1000');
      expect(pages.map((page) => page.length)).toEqual(times(12, () => 1000));
      // As text: Jest takes ten seconds to compare so many items.
      expect(JSON.stringify(pages.flat()) === whole.text).toBe(true);
    });

    it.each(['/b2b/v1/employe/E-1', '/b2b/v2/employe/E-1', '/b2b/v1/employe', '/b2b/v2/employe?limite=10'])(
      'a tenant without memberships and values never reads those of others: %s',
      async (path) => {
        await app.database.query('ANALYZE employe, emploi, membership, valeur_champ_employe');
        await write(PERSONNE);
        const sent = await statementsOf(() => get(path));
        const statement = sent.find(({ name }) => name!.startsWith('employe_v'))!;
        const plan = await planAlone(app, tenant.tenantId, statement);
        expect(rowsRead(plan, ['valeur_champ_employe', 'membership', 'emploi'])).toBe(0);
      },
    );
  });
});

describe('GET /b2b/v2/employe?modifieDepuis', () => {
  const VALEUR = { NomChamp: 'Quart', Valeur: 'NUIT' };
  const STORED = { ...PERSONNE, Emplois: [EMPLOI], Adhesions: [ADHESION], ValeursChampUtilisateur: [VALEUR] };

  /** An unchanged employee, and E-1, which the changes affect. */
  async function stored(): Promise<string> {
    await write({ ...STORED, IdExterne: 'E-0' }, STORED);
    return age();
  }

  it.each<[string, object]>([
    ['an employment is added', { Emplois: [EMPLOI, { ...EMPLOI, IdentifiantExterne: 'M-2' }] }],
    ['an employment changes', { Emplois: [{ ...EMPLOI, Matricule: '20452' }] }],
    ['an employment ends', { Emplois: [{ ...EMPLOI, DateFin: '2024-01-01' }] }],
    ['an employment is left out', { Emplois: [{ ...EMPLOI, IdentifiantExterne: 'M-2' }] }],
    ['a membership is added', { Adhesions: [{ ...ADHESION, SyndicatIdExterne: 'SYN-2' }] }],
    ['a membership changes', { Adhesions: [{ ...ADHESION, DateAdhesion: '2021-05-02' }] }],
    ['a custom value is added', { ValeursChampUtilisateur: [{ NomChamp: 'Surnom', Valeur: 'Zo' }] }],
    ['a custom value changes', { ValeursChampUtilisateur: [{ ...VALEUR, Valeur: 'JOUR' }] }],
    ['a custom value is removed', { ValeursChampUtilisateur: [{ ...VALEUR, Valeur: null }] }],
    ['a field changes', { Ville: 'Lévis' }],
  ])('contains the employee after %s, in V1 too', async (_what, change) => {
    const since = await stored();
    const before = (await get('/b2b/v2/employe/E-1')).json;
    await write({ ...PERSONNE, ...change });
    expect(await changedSince(since)).toEqual(['E-1']);
    expect(await changedSince(since, 'v1')).toEqual(['E-1']);
    const after = (await get('/b2b/v2/employe/E-1')).json;
    expect(Date.parse(after.derniereMAJ)).toBeGreaterThan(Date.parse(before.derniereMAJ));
    expect(after.dateCreation).toBe(before.dateCreation);
    expect(await changedSince(after.derniereMAJ)).toEqual(['E-1']);
  });

  it('contains an employee whose employer was changed by V1', async () => {
    const since = await stored();
    const put = { idExterne: 'E-1', prenom: 'Zoé', nom: "L'Écuyer", identifiantExterneEmployeur: 'EMP-2' };
    expect((await app.send(tenant, 'PUT', '/b2b/v1/employe', put)).status).toBe(200);
    expect(await changedSince(since)).toEqual(['E-1']);
  });

  it('contains an employee whose ended employment was deleted with its employer', async () => {
    await write({ ...STORED, IdExterne: 'E-0' });
    const ended = { ...EMPLOI, IdentifiantExterneEmployeur: 'EMP-2', DateFin: '2020-01-01' };
    await write({ ...STORED, Emplois: [{ ...EMPLOI, IdentifiantExterne: 'M-2' }, ended] });
    const since = await age();
    expect((await app.send(tenant, 'DELETE', '/b2b/v1/employeur/EMP-2')).status).toBe(204);
    expect(await changedSince(since)).toEqual(['E-1']);
    expect((await get('/b2b/v2/employe/E-1')).json.emplois).toHaveLength(1);
  });

  it.each<[string, SyncV2]>([
    ['the same again', { Employes: [STORED] }],
    ['only the person', { Employes: [PERSONNE] }],
    [
      'the removal of a value that is not there',
      {
        Employes: [{ ...PERSONNE, ValeursChampUtilisateur: [{ NomChamp: 'Surnom', Valeur: '' }] }],
      },
    ],
    ['unions', { Syndicats: SYNDICATS }],
  ])('negative control: is empty after a sync of %s', async (_what, body) => {
    const since = await stored();
    await synced(app, tenant, body);
    expect(await changedSince(since)).toEqual([]);
  });
});
