import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, INSTANT, synced } from '../membership/synced';
import { TestApp } from '../setup/test-app';
import { openTenant, PNG, signed } from './support/cards';
import { DataSpace, refusing } from './support/data-space';
import { pagesOf } from './support/lists';
import { perFile } from '../setup/fixtures';

const PATH = '/b2b/v2/conciliation';

const app = perFile(() => TestApp.start());
let space: DataSpace;

beforeEach(async () => {
  space = new DataSpace(app, await openTenant(app));
});

const get = (path: string) => app.send(space.open.partenaire, 'GET', path);
const decide = (id: string, decision: string, body?: object | string) =>
  app.send(space.open.partenaire, 'POST', `${PATH}/${id}/${decision}`, body);
const confirm = (id: string, body: object = {}) => decide(id, 'confirmer', body);
const reject = (id: string, raison: unknown = 'Inconnu') => decide(id, 'rejeter', { raison });

/**
 * Signs for an unknown person.
 *
 * @returns the id of the request
 */
async function request(overrides: object = {}): Promise<string> {
  const sent = { employeIdExterne: undefined, prenom: 'Ève', nom: 'Caron', ...overrides };
  const { json } = await signed(app, space.open.plateforme, sent);
  expect(json).toEqual({ demandeId: expect.stringMatching(GUID), statut: 'ATransferer' });
  return json.demandeId;
}
/** Confirms a request and asserts a 200. */
async function confirmed(id: string, body: object = {}): Promise<{ idExterne: string; adhesionId: string }> {
  const { status, json } = await confirm(id, body);
  expect({ status, json }).toEqual({
    status: 200,
    json: { idExterne: expect.any(String), adhesionId: expect.stringMatching(GUID) },
  });
  return json;
}
const cardOf = async (idExterne: string) => (await get(`/b2b/v2/adhesion/${idExterne}`)).json[0];

const CONTACT = {
  courriel: 'eve.caron@example.org',
  telephonePrincipal: '418 555-0142',
  adresse1: '1, rue du Port',
  ville: 'Québec',
  province: 'QC',
  codePostal: 'G1K 1A1',
};
const FULL = {
  ...CONTACT,
  employeIdExterne: 'E-404',
  noMembre: '77',
  dateSignature: '2026-03-02T09:05:09.120-05:00',
  transactionId: 'TX-1',
  imageSignature: PNG,
  valeursChampUtilisateur: [
    { NomChamp: 'Note', Valeur: 'à midi' },
    { NomChamp: 'Quart', Valeur: 'NUIT' },
  ],
};
const VALEURS = [
  { type: 'texte', nom: 'Note', valeur: 'à midi' },
  { type: 'choix', nom: 'Quart', idExterneChoix: 'NUIT' },
];

async function makeChamps(): Promise<void> {
  const choix = [{ idExterne: 'NUIT', libelle: 'Quart de nuit' }];
  for (const champ of [
    { nom: 'Note', type: 'texte' },
    { nom: 'Quart', type: 'choix', choix },
  ]) {
    const made = await app.send(space.open.partenaire, 'POST', '/b2b/v2/champ-utilisateur', champ);
    expect(made.status).toBe(201);
  }
}

describe('GET /b2b/v2/conciliation', () => {
  it('shows every field in order, waiting, confirmed and rejected, in the list and alone', async () => {
    await makeChamps();
    const id = await request(FULL);
    const asSigned = {
      dateSignature: '2026-03-02T14:05:09.120Z',
      transactionId: 'TX-1',
      aSignatureManuscripte: true,
      syndicatIdExterne: 'SYN-1',
      syndicatNom: 'Syndicat Un',
      employeIdExterne: 'E-404',
      prenom: 'Ève',
      nom: 'Caron',
      noMembre: '77',
      ...CONTACT,
      valeursChampUtilisateur: VALEURS,
    };
    const waiting = await get(`${PATH}/${id}`);
    const { dateCreation } = waiting.json;
    expect(dateCreation).toMatch(INSTANT);
    const item = (statut: string, decision: object) =>
      JSON.stringify({ demandeId: id, statut, ...asSigned, dateCreation, ...decision });
    const none = { dateDecision: null, raison: null, idExterne: null, adhesionId: null };
    expect(waiting.text).toBe(item('ATransferer', none));
    expect((await get(PATH)).text).toBe(`[${waiting.text}]`);
    expect((await get(`${PATH}?statut=Confirmee`)).text).toBe('[]');
    const decision = await confirmed(id, { prenom: 'Zoé', ville: null });
    const after = await get(`${PATH}/${id}`);
    expect(after.json.dateDecision).toMatch(INSTANT);
    // The request keeps the signed values; the card has the overrides.
    expect(after.text).toBe(
      item('Confirmee', { dateDecision: after.json.dateDecision, raison: null, ...decision }),
    );
    expect((await get(PATH)).text).toBe('[]');
    expect((await get(`${PATH}?statut=Confirmee`)).text).toBe(`[${after.text}]`);
    const other = await request();
    const rejected = await reject(other, '  Pas du syndicat ');
    expect(rejected.json).toMatchObject({ statut: 'Rejetee', raison: 'Pas du syndicat', adhesionId: null });
    expect((await get(`${PATH}/${other}`)).text).toBe(rejected.text);
    expect((await get(`${PATH}?statut=Rejetee`)).text).toBe(`[${rejected.text}]`);
    expect((await get(`${PATH}?statut=ATransferer`)).text).toBe('[]');
  });

  it('oldest first, in pages, with the state in the next link', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 7; index++) ids.push(await request());
    for (const path of [PATH, `${PATH}?statut=ATransferer&limite=3`, `${PATH}?limite=1`]) {
      const pages = await pagesOf(app, space.open.partenaire, path);
      expect(pages.flat().map(({ demandeId }) => demandeId)).toEqual(ids);
    }
    for (const id of ids.slice(1, 6)) await reject(id);
    const pages = await pagesOf(app, space.open.partenaire, `${PATH}?statut=Rejetee&limite=2`);
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat().map(({ demandeId }) => demandeId)).toEqual(ids.slice(1, 6));
  });

  it('400 for another state and for unknown parameters', async () => {
    const faults: [string, Record<string, string>][] = [
      ['statut=Autre', { '?statut': 'choice' }],
      ['statut=confirmee', { '?statut': 'choice' }],
      ['statut=', { '?statut': 'required' }],
      ['etat=Rejetee', { '?etat': 'unknown' }],
    ];
    for (const [query, expected] of faults) expectFaults(await get(`${PATH}?${query}`), expected);
  });

  it('the ETag of a request changes with the decision', async () => {
    const id = await request();
    const etag = (await get(`${PATH}/${id}`)).headers.get('etag')!;
    const again = () =>
      app.send(space.open.partenaire, 'GET', `${PATH}/${id}`, undefined, { 'If-None-Match': etag });
    expect((await again()).status).toBe(304);
    await reject(id);
    expect((await again()).status).toBe(200);
  });
});

describe('an unknown request', () => {
  it('404 Conciliation.NotFound, with the same response for another tenant’s request', async () => {
    const other = new DataSpace(app, await openTenant(app));
    const theirs = await signed(app, other.open.plateforme, { employeIdExterne: undefined });
    const ask = (id: string) =>
      Promise.all([get(`${PATH}/${id}`), confirm(id), reject(id), confirm(id, { idExterne: 'E-1' })]);
    const [unknown, foreign] = [await ask(randomUUID()), await ask(theirs.json.demandeId)];
    for (const answer of unknown) expectProblem(answer, 404, 'Conciliation.NotFound');
    expect(foreign.map(comparable)).toEqual(unknown.map(comparable));
    for (const answer of await ask('0')) expectProblem(answer, 404, 'Conciliation.NotFound');
    expect((await get(PATH)).text).toBe('[]');
    const rows = await other.rows<object>('SELECT statut FROM demande_adhesion WHERE tenant_id = $1');
    expect(rows).toEqual([{ statut: 'ATransferer' }]);
  });
});

describe('numbers of created employees', () => {
  it('without an identifier, or without a body: M-000001, then M-000002', async () => {
    expect((await confirmed(await request())).idExterne).toBe('M-000001');
    const { status, json } = await decide(await request(), 'confirmer');
    expect([status, json.idExterne]).toEqual([200, 'M-000002']);
    expect((await confirmed(await request(), { idExterne: null })).idExterne).toBe('M-000003');
  });

  it('skip numbers of existing employees, and are never given twice', async () => {
    const taken = ['M-000001', 'M-000002', 'M-000004', 'm-000005', 'M-5'];
    await synced(app, space.open.partenaire, {
      Employes: taken.map((IdExterne) => ({ IdExterne, Prenom: 'P', Nom: 'N' })),
    });
    const first = await confirmed(await request());
    expect(first.idExterne).toBe('M-000003');
    expect((await space.delete(first.adhesionId)).status).toBe(204);
    for (const id of ['M-000003', 'M-000001']) {
      const gone = await app.send(space.open.partenaire, 'DELETE', `/b2b/v1/employe/${id}`);
      expect(gone.status).toBe(204);
    }
    expect((await confirmed(await request())).idExterne).toBe('M-000005');
    expect((await confirmed(await request(), { idExterne: 'M-000006' })).idExterne).toBe('M-000006');
    expect((await confirmed(await request())).idExterne).toBe('M-000007');
  });

  it('grow beyond six digits', async () => {
    await app.database.query('INSERT INTO numero_membre VALUES ($1, 999998)', [space.open.tenantId]);
    expect((await confirmed(await request())).idExterne).toBe('M-999999');
    expect((await confirmed(await request())).idExterne).toBe('M-1000000');
  });

  it('are separate for each tenant', async () => {
    await confirmed(await request());
    space = new DataSpace(app, await openTenant(app));
    expect((await confirmed(await request())).idExterne).toBe('M-000001');
  });
});

describe('a confirmation', () => {
  it('creates the employee with contact data and custom values, the membership, the card, its image and the event', async () => {
    await makeChamps();
    const id = await request(FULL);
    const { idExterne, adhesionId } = await confirmed(id, { idExterne: ' E/99 ' });
    expect(idExterne).toBe('E/99');
    const path = encodeURIComponent(idExterne);
    const employe = (await get(`/b2b/v2/employe/${path}`)).json;
    expect(employe).toMatchObject({ idExterne, prenom: 'Ève', nom: 'Caron', noMembre: '77', ...CONTACT });
    expect(employe.valeursChampUtilisateur).toEqual(VALEURS);
    expect(employe.adhesions).toEqual([
      expect.objectContaining({ syndicatIdExterne: 'SYN-1', dateAdhesion: '2026-03-02T14:05:09.120Z' }),
    ]);
    const card = await get(`/b2b/v2/adhesion/${path}`);
    expect(card.json).toEqual([
      {
        dateSignature: '2026-03-02T14:05:09.120Z',
        idUniqueAdhesion: adhesionId,
        transactionId: 'TX-1',
        aSignatureManuscripte: true,
        syndicatIdExterne: 'SYN-1',
        syndicatNom: 'Syndicat Un',
        employeIdExterne: idExterne,
        employeIdUnique: employe.idUnique,
        employePrenom: 'Ève',
        employeNom: 'Caron',
        ...CONTACT,
        valeursChampUtilisateur: VALEURS,
      },
    ]);
    const events = await space.rows<{ data: string }>(
      `SELECT data::text FROM evenement WHERE tenant_id = $1 AND type = 'adhesion.signee'`,
    );
    expect(events.map(({ data }) => `[${data}]`)).toEqual([card.text]);
    const image = await get(`/b2b/adhesion/${adhesionId}/image-signature`);
    expect(image.json.imageSignature).toBe(PNG);
    const images = await space.rows(
      'SELECT adhesion_id, demande_id FROM signature_manuscrite WHERE tenant_id = $1',
    );
    expect(images).toEqual([{ adhesion_id: adhesionId, demande_id: null }]);
    expect((await get('/b2b/v2/adhesion?noMembre=77')).json).toEqual(card.json);
  });

  it('adds the consents of the request only now, with the time of the signature', async () => {
    await synced(app, space.open.partenaire, {
      ObjetsConsentement: ['INFO', 'VOTE'].map((IdExterne) => ({ IdExterne, Nom: `Objet ${IdExterne}` })),
    });
    const consentements = [
      { objetConsentementIdExterne: 'INFO', accepte: true },
      { objetConsentementIdExterne: 'VOTE', accepte: false },
    ];
    const id = await request({ dateSignature: '2026-03-02T14:05:09.120Z', consentements });
    expect((await get('/b2b/v1/consentement')).text).toBe('[]');
    const { idExterne } = await confirmed(id);
    const shown = (await get(`/b2b/v1/consentement/${idExterne}`)).json as {
      objetConsentement: { idExterne: string };
    }[];
    const expected = consentements.map(({ objetConsentementIdExterne, accepte }) => ({
      idExterneEmploye: idExterne,
      objetConsentement: {
        idExterne: objetConsentementIdExterne,
        nom: `Objet ${objetConsentementIdExterne}`,
      },
      accepte,
      dateConsentement: '2026-03-02T14:05:09.120Z',
    }));
    expect(
      [...shown].sort((a, b) => (a.objetConsentement.idExterne < b.objetConsentement.idExterne ? -1 : 1)),
    ).toMatchObject(expected);
    expect(shown).toHaveLength(2);
  });

  it('with a known employee does not change the employee; the overrides are on the card', async () => {
    const Adhesions = [{ SyndicatIdExterne: 'SYN-1', DateAdhesion: '2020-01-01' }];
    await synced(app, space.open.partenaire, {
      Employes: [{ IdExterne: 'E-7', Prenom: 'Ann', Nom: 'Roy', NoMembre: '7', Ville: 'Lévis', Adhesions }],
    });
    const before = await get('/b2b/v2/employe/E-7');
    const first = await confirmed(await request({ ville: 'Québec' }), { idExterne: 'E-7', nom: 'Dion' });
    expect((await get('/b2b/v2/employe/E-7')).text).toBe(before.text);
    expect(await cardOf('E-7')).toMatchObject({
      ...{ idUniqueAdhesion: first.adhesionId, employePrenom: 'Ève', employeNom: 'Dion', ville: 'Québec' },
      employeIdUnique: before.json.idUnique,
    });
    // The card is found by the employee's member number.
    expect((await get('/b2b/v2/adhesion?noMembre=7')).json).toHaveLength(1);
    await confirmed(await request({ syndicatIdExterne: 'SYN-2' }), { idExterne: 'E-7' });
    const after = (await get('/b2b/v2/employe/E-7')).json;
    expect(after.adhesions).toHaveLength(2);
    expect({ ...after, adhesions: 0, derniereMAJ: 0 }).toEqual({
      ...before.json,
      adhesions: 0,
      derniereMAJ: 0,
    });
  });

  it('overrides are on the card and on a created employee; null clears nullable properties', async () => {
    const overrides = {
      prenom: 'Zoé',
      Nom: 'Dion',
      courriel: 'zoe@example.org',
      telephonePrincipal: null,
      adresse1: '  ',
      ville: 'Lévis',
      codePostal: null,
      noMembre: null,
    };
    const id = await request({ ...CONTACT, noMembre: '77' });
    const { idExterne } = await confirmed(id, overrides);
    const contact = {
      ...{ courriel: 'zoe@example.org', telephonePrincipal: null, adresse1: null },
      ...{ ville: 'Lévis', province: 'QC', codePostal: null },
    };
    expect(await cardOf(idExterne)).toMatchObject({ employePrenom: 'Zoé', employeNom: 'Dion', ...contact });
    expect((await get(`/b2b/v2/employe/${idExterne}`)).json).toMatchObject({
      ...{ prenom: 'Zoé', nom: 'Dion', noMembre: null },
      ...contact,
    });
    expect((await get('/b2b/v2/adhesion?noMembre=77')).text).toBe('[]');
  });

  it('400 for invalid values of a card, and the request still waits', async () => {
    const id = await request();
    const faults: [object, Record<string, string>][] = [
      [{ prenom: null }, { '/prenom': 'required' }],
      [{ nom: ' ' }, { '/nom': 'required' }],
      [{ courriel: null }, { '/courriel': 'required' }],
      [{ courriel: 'nobody' }, { '/courriel': 'email' }],
      [{ idExterne: 'x'.repeat(256) }, { '/idExterne': 'length' }],
      [{ idExterne: 7 }, { '/idExterne': 'type' }],
      [{ prenom: 'A', Prenom: 'B' }, { '/Prenom': 'duplicate' }],
      [{ syndicatIdExterne: 'SYN-2' }, { '/syndicatIdExterne': 'unknown' }],
      [{ dateSignature: '2026-01-01' }, { '/dateSignature': 'unknown' }],
    ];
    for (const [body, expected] of faults) expectFaults(await confirm(id, body), expected);
    expect((await get(PATH)).json).toHaveLength(1);
    expect(await space.ids()).toEqual([]);
    expect((await get('/b2b/v1/employe')).json).toHaveLength(2);
  });

  it('a created employee lacks values that its fields no longer allow; the card keeps them', async () => {
    await makeChamps();
    const id = await request(FULL);
    for (const nom of ['Note', 'Quart']) {
      const gone = await app.send(space.open.partenaire, 'DELETE', `/b2b/v2/champ-utilisateur/${nom}`);
      expect(gone.status).toBe(204);
    }
    const champ = { nom: 'Note', type: 'booleen' };
    await app.send(space.open.partenaire, 'POST', '/b2b/v2/champ-utilisateur', champ);
    const { idExterne } = await confirmed(id);
    expect((await get(`/b2b/v2/employe/${idExterne}`)).json.valeursChampUtilisateur).toEqual([]);
    expect((await cardOf(idExterne)).valeursChampUtilisateur).toEqual(VALEURS);
  });
});

describe('a decision', () => {
  const everything = async () => ({
    cards: await space.ids(),
    employes: (await get('/b2b/v1/employe')).text,
    events: await space.rows<{ type: string }>(
      `SELECT type, data::text FROM evenement WHERE tenant_id = $1 AND type <> 'sync.terminee' ORDER BY id_unique`,
    ),
    journal: await space.journal(),
    requests: await space.rows('SELECT * FROM demande_adhesion WHERE tenant_id = $1 ORDER BY id_unique'),
  });

  it('is repeatable with the same response and any body; the opposite decision is 409 and changes nothing', async () => {
    const [one, two] = [await request(), await request()];
    const [yes, no] = [await confirm(one, { ville: 'Lévis' }), await reject(two, 'Premier')];
    const before = await everything();
    for (const body of [{}, { ville: 'Alma' }, { idExterne: 'E-2' }, { idExterne: 'E-new' }]) {
      const again = await confirm(one, body);
      expect([again.status, again.text]).toEqual([200, yes.text]);
    }
    const again = await reject(two, 'Second');
    expect([again.status, again.text]).toEqual([200, no.text]);
    expectProblem(await reject(one), 409, 'Conciliation.DejaTraitee');
    expectProblem(await confirm(two), 409, 'Conciliation.DejaTraitee');
    expect(await everything()).toEqual(before);
  });

  it('remains the same after the card was deleted; it is deleted with the employee', async () => {
    const id = await request();
    const first = await confirm(id);
    expect((await space.delete(first.json.adhesionId)).status).toBe(204);
    expect((await confirm(id)).text).toBe(first.text);
    expect(await space.ids()).toEqual([]);
    const gone = await app.send(space.open.partenaire, 'DELETE', `/b2b/v1/employe/${first.json.idExterne}`);
    expect(gone.status).toBe(204);
    expectProblem(await confirm(id), 404, 'Conciliation.NotFound');
  });

  it('a rejection needs a reason of at most 1,000 characters', async () => {
    const id = await request();
    const faults: [object, string][] = [
      [{}, 'required'],
      [{ raison: null }, 'required'],
      [{ raison: '  ' }, 'required'],
      [{ raison: 'x'.repeat(1_001) }, 'length'],
      [{ raison: 7 }, 'type'],
    ];
    for (const [body, code] of faults) expectFaults(await decide(id, 'rejeter', body), { '/raison': code });
    expectFaults(await decide(id, 'rejeter', { raison: 'x', idExterne: 'E-1' }), { '/idExterne': 'unknown' });
    expect((await get(`${PATH}/${id}`)).json.statut).toBe('ATransferer');
    const long = await reject(id, ` ${'é'.repeat(1_000)}\n`);
    expect([long.status, long.json.raison]).toEqual([200, 'é'.repeat(1_000)]);
  });

  it('a rejection creates no record, and deletes the signature of the request', async () => {
    const before = await everything();
    const kept = await request({ imageSignature: PNG });
    await reject(await request({ imageSignature: PNG }));
    const after = await everything();
    expect({ cards: after.cards, employes: after.employes }).toEqual({
      cards: [],
      employes: before.employes,
    });
    expect(new Set(after.events.map(({ type }) => type))).toEqual(new Set(['conciliation.demandee']));
    const images = await space.rows('SELECT demande_id FROM signature_manuscrite WHERE tenant_id = $1');
    expect(images).toEqual([{ demande_id: kept }]);
  });

  it('has one entry in the audit trail, in its transaction: key, request and its id', async () => {
    const [one, two] = [await request(), await request()];
    const answers = [await confirm(one), await reject(two)];
    await confirm(one);
    await reject(two);
    expectProblem(await confirm(two), 409, 'Conciliation.DejaTraitee');
    expect(await space.journal()).toEqual(
      [
        { action: 'conciliation.confirmer', objet_id: one },
        { action: 'conciliation.rejeter', objet_id: two },
      ].map((entry, index) => ({
        ...entry,
        cle_id: space.open.partenaire.cleId,
        requete_id: answers[index]!.headers.get('x-request-id'),
      })),
    );
    const third = await request({ imageSignature: PNG });
    const before = await everything();
    for (const decision of [confirm, reject]) {
      expectProblem(await refusing(app, 'journal', () => decision(third)), 500, 'Service.ErreurInterne');
    }
    expect(await everything()).toEqual(before);
  });
});
