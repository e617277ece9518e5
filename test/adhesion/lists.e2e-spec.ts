import { expectProblem } from '../http/expect-problem';
import { synced } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { openTenant, PNG, signed } from './support/cards';
import { type CardItem, fillCards, idsOf, inOrder, nextOf, pagesOf } from './support/lists';
import { perFile, perTest } from '../setup/fixtures';

const V1 = '/b2b/v1/adhesion';
const V2 = '/b2b/v2/adhesion';
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const app = perFile(() => TestApp.start());
const open = perTest(() => openTenant(app));

const list = (path: string) => app.send(open.partenaire, 'GET', path);
const sign = (overrides: object = {}) => signed(app, open.plateforme, overrides);
const signedAt = (dateSignature: string, rest: object = {}) => sign({ dateSignature, ...rest });

async function makeChamps(): Promise<void> {
  const champs = [
    { nom: 'Note', type: 'texte' },
    { nom: 'Entrée', type: 'date' },
    { nom: 'Temps plein', type: 'booleen' },
    { nom: 'Quart', type: 'choix', choix: [{ idExterne: 'NUIT', libelle: 'Quart de nuit' }] },
  ];
  for (const champ of champs) {
    const made = await app.send(open.partenaire, 'POST', '/b2b/v2/champ-utilisateur', champ);
    expect(made.status).toBe(201);
  }
}

const FULL = {
  telephonePrincipal: '418 555-0142',
  adresse1: '1, rue du Port',
  ville: 'Québec',
  province: 'QC',
  codePostal: 'G1K 1A1',
  transactionId: 'TX-1',
  imageSignature: PNG,
  valeursChampUtilisateur: [
    { NomChamp: 'Note', Valeur: 'à "midi"' },
    { NomChamp: 'Entrée', Valeur: '2020-03-01' },
    { NomChamp: 'Temps plein', Valeur: 'true' },
    { NomChamp: 'Quart', Valeur: 'NUIT' },
  ],
};
const employeOf = async (): Promise<Answer> => list('/b2b/v1/employe/E-1');

describe('items of the lists of cards', () => {
  it('V2 shows every field in order, as signed, with polymorphic values', async () => {
    await makeChamps();
    const full = await signedAt('2026-03-02T09:05:09.1204-05:00', FULL);
    const bare = await signedAt('2026-03-01T00:00:00Z', { syndicatIdExterne: 'SYN-2' });
    const { idUnique } = (await employeOf()).json;
    const items = [
      {
        dateSignature: '2026-03-02T14:05:09.120Z',
        idUniqueAdhesion: full.json.idUniqueAdhesion,
        transactionId: 'TX-1',
        aSignatureManuscripte: true,
        syndicatIdExterne: 'SYN-1',
        syndicatNom: 'Syndicat Un',
        employeIdExterne: 'E-1',
        employeIdUnique: idUnique,
        employePrenom: 'Zoé',
        employeNom: 'Roy',
        courriel: 'zoe.roy@example.org',
        telephonePrincipal: '418 555-0142',
        adresse1: '1, rue du Port',
        ville: 'Québec',
        province: 'QC',
        codePostal: 'G1K 1A1',
        valeursChampUtilisateur: [
          { type: 'texte', nom: 'Note', valeur: 'à "midi"' },
          { type: 'date', nom: 'Entrée', valeur: '2020-03-01T00:00:00.000Z' },
          { type: 'booleen', nom: 'Temps plein', valeur: true },
          { type: 'choix', nom: 'Quart', idExterneChoix: 'NUIT' },
        ],
      },
      {
        dateSignature: '2026-03-01T00:00:00.000Z',
        idUniqueAdhesion: bare.json.idUniqueAdhesion,
        transactionId: null,
        aSignatureManuscripte: false,
        syndicatIdExterne: 'SYN-2',
        syndicatNom: 'Syndicat Deux',
        employeIdExterne: 'E-1',
        employeIdUnique: idUnique,
        ...{ employePrenom: 'Zoé', employeNom: 'Roy', courriel: 'zoe.roy@example.org' },
        ...{ telephonePrincipal: null, adresse1: null, ville: null, province: null, codePostal: null },
        valeursChampUtilisateur: [],
      },
    ];
    for (const path of [V2, `${V2}/E-1`]) {
      const answer = await list(path);
      expect(answer.text).toBe(JSON.stringify(items));
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    expect(full.json.idUniqueAdhesion).toMatch(GUID);
    expect(full.text).toBe(JSON.stringify(items[0]));
  });

  it('V1 shows every field in order, with the current item of the employee', async () => {
    await makeChamps();
    const { idUniqueAdhesion } = (await signedAt('2026-03-02T14:05:09.120Z', FULL)).json;
    const valeurs = [{ NomChamp: 'Quart', Valeur: 'NUIT' }];
    await synced(app, open.partenaire, {
      Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy', ValeursChampUtilisateur: valeurs }],
    });
    const employe = await employeOf();
    expect(employe.json.valeursChampUtilisateur[0].valeurChoix).toBe('Quart de nuit');
    const head = {
      dateSignature: '2026-03-02T14:05:09.120Z',
      courriel: 'zoe.roy@example.org',
      idUnique: idUniqueAdhesion,
      idUniqueAdhesion,
      transactionId: 'TX-1',
      aSignatureManuscripte: true,
      syndicatIdExterne: 'SYN-1',
      syndicatNom: 'Syndicat Un',
    };
    const expected = `[${JSON.stringify({ ...head, employe: 0 }).replace(/0}$/, `${employe.text}}`)}]`;
    expect((await list(V1)).text).toBe(expected);
    expect((await list(`${V1}/E-1`)).text).toBe(expected);
  });

  it('a change of the employee shows in V1 only; e-mail and custom values stay as signed in both', async () => {
    await makeChamps();
    await sign(FULL);
    const [v1, v2] = [await list(V1), await list(V2)];
    const put = { idExterne: 'E-1', prenom: 'Léa', nom: 'Côté', courriel: 'lea@example.org', ville: 'Lévis' };
    expect((await app.send(open.partenaire, 'PUT', '/b2b/v1/employe', put)).status).toBe(200);
    const changed = (await list(V1)).json[0];
    expect(changed.employe).toEqual((await employeOf()).json);
    expect(changed.employe).toMatchObject({ prenom: 'Léa', courriel: 'lea@example.org' });
    expect({ ...changed, employe: 0 }).toEqual({ ...v1.json[0], employe: 0 });
    expect((await list(V2)).text).toBe(v2.text);
  });

  it('both show the current name of the union', async () => {
    await sign();
    await synced(app, open.partenaire, { Syndicats: [{ IdentifiantExterne: 'SYN-1', Nom: 'Nouveau' }] });
    for (const path of [V1, V2]) expect((await list(path)).json[0].syndicatNom).toBe('Nouveau');
  });
});

describe('an employee in the path', () => {
  it.each([V1, V2])('%s: 404 for an unknown one, [] for one without cards', async (path) => {
    await sign();
    expectProblem(await list(`${path}/E-0`), 404, 'Employe.NotFound');
    expectProblem(await list(`${path}/e-1`), 404, 'Employe.NotFound');
    const none = await list(`${path}/E-2`);
    expect([none.status, none.text]).toEqual([200, '[]']);
    const filtered = await list(`${path}/E-1?apres=2100-01-01`);
    expect([filtered.status, filtered.text]).toEqual([200, '[]']);
  });

  it('is combined with the filter of the same meaning, and does not replace it', async () => {
    await sign();
    await sign({ employeIdExterne: 'E-2' });
    expect((await list(`${V2}/E-1?idExterneEmploye=E-1`)).json).toHaveLength(1);
    expect((await list(`${V2}/E-1?idExterneEmploye=E-2`)).text).toBe('[]');
    expectProblem(await list(`${V2}/E-0?idExterneEmploye=E-1`), 404, 'Employe.NotFound');
  });
});

describe('deprecation', () => {
  it('V1 has Deprecation and its successor, also beside the next link; V2 has neither', async () => {
    await fillCards(app, open.tenantId, 3);
    const successor = '</b2b/v2/adhesion>; rel="successor-version"';
    for (const path of [V1, `${V1}/E-1`]) {
      for (const query of ['', '?limite=3', '?apres=2100-01-01']) {
        const { headers } = await list(path + query);
        expect([headers.get('deprecation'), headers.get('link')]).toEqual([
          expect.stringMatching(/^@\d+$/),
          successor,
        ]);
      }
      const paged = await list(`${path}?limite=1`);
      const links = paged.headers.get('link')!.split(/, (?=<)/);
      expect(links).toContain(successor);
      expect(links.filter((link) => link.endsWith('; rel="next"'))).toHaveLength(1);
      expect(links).toHaveLength(2);
      expect(paged.headers.get('deprecation')).toMatch(/^@\d+$/);
    }
    for (const path of [V2, `${V2}/E-1`]) {
      const { headers } = await list(path);
      expect([headers.get('deprecation'), headers.get('link')]).toEqual([null, null]);
      const paged = await list(`${path}?limite=1`);
      expect(paged.headers.get('deprecation')).toBeNull();
      expect(paged.headers.get('link')).toMatch(/^<[^>]+>; rel="next"$/);
    }
  });
});

describe('aliases of the release notes', () => {
  it('return the same as V2, and their next links keep the alias', async () => {
    await fillCards(app, open.tenantId, 4);
    for (const base of ['/api/b2b/v2/adhesions', '/api/b2b/v2/adhesion']) {
      expect((await list(base)).text).toBe((await list(V2)).text);
      expect((await list(`${base}/E-1?apres=2026-01-01`)).text).toBe((await list(`${V2}/E-1`)).text);
      const pages = await pagesOf(app, open.partenaire, `${base}?limite=2`);
      expect(pages.flatMap((json) => idsOf({ json }))).toEqual(await inOrder(app, open.tenantId));
      expect(nextOf(app, await list(`${base}?limite=2`))).toMatch(new RegExp(`^${base}\\?`));
      expectProblem(await list(`${base}?idExterne=E-1`), 400, 'Requete.Invalide');
    }
    const [id] = await inOrder(app, open.tenantId);
    const deleted = await app.send(open.partenaire, 'DELETE', `/api/b2b/v2/adhesions/${id}`);
    expect(deleted.status).toBe(204);
    const all = await app.send(open.partenaire, 'DELETE', '/api/b2b/v2/adhesions/membre/E-1');
    expect(all.json).toEqual({ nombreSupprime: 3 });
  });
});

describe('order and pages', () => {
  it('newest signature first, independent of offset and order of arrival', async () => {
    // As text and as local times, the order would be different.
    const times = [
      '2026-03-02T13:00:00+14:00',
      '2026-03-01T12:00:00-12:00',
      '2026-03-01T23:30:00Z',
      '2026-03-01T18:45:00-05:00',
      '2026-03-02T05:00:00.001+05:00',
    ];
    const made: CardItem[] = [];
    for (const time of times) made.push((await signedAt(time)).json);
    const sorted = [...times].sort((a, b) => Date.parse(b) - Date.parse(a));
    expect(sorted).not.toEqual([...times].sort().reverse());
    const expected = sorted.map((time) => made[times.indexOf(time)]!.idUniqueAdhesion);
    for (const path of [V1, V2, `${V1}/E-1`, `${V2}/E-1`]) {
      expect(idsOf(await list(path))).toEqual(expected);
      const pages = await pagesOf(app, open.partenaire, `${path}?limite=1`);
      expect(pages.map((json) => idsOf({ json }))).toEqual(expected.map((id) => [id]));
    }
  });

  it.each([
    [V1, 7],
    [V2, 7],
    [`${V1}/E-1`, 100],
    [`${V2}/E-1`, 100],
    [V1, 301],
    [V2, 301],
    [V2, 150],
  ])('%s?limite=%d walks 301 cards, three to a millisecond, exactly once', async (path, limite) => {
    await fillCards(app, open.tenantId, 301);
    const pages = await pagesOf(app, open.partenaire, `${path}?limite=${limite}`);
    expect(pages.flatMap((json) => idsOf({ json }))).toEqual(await inOrder(app, open.tenantId));
    expect(pages).toHaveLength(Math.ceil(301 / limite));
    // Some page ends between cards of one millisecond.
    if (limite === 7) expect(pages.some((page, at) => sameTime(page.at(-1), pages[at + 1]?.[0]))).toBe(true);
  });

  const sameTime = (one?: CardItem, other?: CardItem): boolean =>
    other !== undefined && one?.dateSignature === other.dateSignature;

  it('the next link keeps the filters', async () => {
    await fillCards(app, open.tenantId, 30);
    const query = 'avant=2026-01-01T05:00:00.004%2B05:00&idExterneSyndicat=SYN-1&limite=4';
    const pages = await pagesOf(app, open.partenaire, `${V2}?${query}`);
    expect(pages.map(({ length }) => length)).toEqual([4, 4, 4, 3]);
    expect(pages.flat().every(({ dateSignature }) => dateSignature <= '2026-01-01T00:00:00.004Z')).toBe(true);
  });

  it('cards signed and deleted between pages cause no duplicates and no gaps', async () => {
    await fillCards(app, open.tenantId, 60);
    const existing = await inOrder(app, open.tenantId);
    // The card at the cursor, and one on a later page.
    const gone = [existing[9]!, existing[44]!];
    const pages = await pagesOf(app, open.partenaire, `${V2}?limite=10`, async (page) => {
      if (page === 1) {
        for (const id of gone) await app.send(open.partenaire, 'DELETE', `${V2}/${id}`);
      }
      // One before the cursor, one after it, one at the time of the last card of the first page.
      if (page === 2) {
        await signedAt('2026-02-01');
        await signedAt('2025-12-31', { transactionId: 'late' });
        await signedAt('2026-01-01T00:00:00.016Z');
      }
    });
    const seen = pages.flat();
    const ids = idsOf({ json: seen });
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => existing.includes(id))).toEqual(existing.filter((id) => id !== gone[1]));
    expect(seen.at(-1)!.transactionId).toBe('late');
  });

  it.each([V1, V2])(
    '%s without limite: 12,000 cards are streamed, complete, and equal the pages',
    async (path) => {
      await fillCards(app, open.tenantId, 12_000);
      const whole = await list(path);
      expect([whole.status, whole.headers.get('transfer-encoding')]).toEqual([200, 'chunked']);
      expect(idsOf(whole)).toEqual(await inOrder(app, open.tenantId));
      const pages = await pagesOf(app, open.partenaire, `${path}?limite=1000`);
      expect(pages).toHaveLength(12);
      expect(JSON.stringify(pages.flat())).toBe(JSON.stringify(whole.json));
      // From a cursor on, the rest is complete.
      const next = nextOf(app, await list(`${path}?limite=1000`))!.replace('limite=1000&', '');
      expect(idsOf(await list(next))).toEqual(idsOf(whole).slice(1_000));
    },
  );
});
