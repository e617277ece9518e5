import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { eventually, expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, INSTANT, synced, syncedV1, times } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import {
  type OpenTenant,
  openTenant,
  platformKey,
  PNG,
  sign,
  signed,
  signing,
  SIGNING_PATH,
} from './support/cards';
import { changed, digests } from './support/digests';
import { dataUrl, encodePng, pngOf } from './support/png';

const CHAMPS = [
  { nom: 'Surnom', type: 'texte' },
  { nom: 'Depuis', type: 'date' },
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
const VALEURS = [
  { NomChamp: 'Quart', Valeur: 'NUIT' },
  { NomChamp: 'Surnom', Valeur: 'Zo' },
  { NomChamp: 'Depuis', Valeur: '2020-02-29' },
  { NomChamp: 'Bilingue', Valeur: 'false' },
];
const VALEURS_V2 = [
  { type: 'choix', nom: 'Quart', idExterneChoix: 'NUIT' },
  { type: 'texte', nom: 'Surnom', valeur: 'Zo' },
  { type: 'date', nom: 'Depuis', valeur: '2020-02-29T00:00:00.000Z' },
  { type: 'booleen', nom: 'Bilingue', valeur: false },
];
const NO_VALUE = { valeurTexte: null, valeurDate: null, valeurBooleen: null, valeurChoix: null };
const VALEURS_V1 = [
  { nom: 'Quart', ...NO_VALUE, valeurChoix: 'De nuit' },
  { nom: 'Surnom', ...NO_VALUE, valeurTexte: 'Zo' },
  { nom: 'Depuis', ...NO_VALUE, valeurDate: '2020-02-29T00:00:00.000Z' },
  { nom: 'Bilingue', ...NO_VALUE, valeurBooleen: false },
];
const CONSENTEMENTS = [
  { objetConsentementIdExterne: 'INFO', accepte: true },
  { objetConsentementIdExterne: 'TEXTOS', accepte: false },
];
const CONTACT = {
  telephonePrincipal: '418 555-0142',
  adresse1: '125, rue Saint-Jean',
  ville: 'Québec',
  province: 'QC',
  codePostal: 'G1R 1N4',
};
/** A signing with everything that one can have. */
const WHOLE = {
  ...CONTACT,
  noMembre: 'M-7',
  dateSignature: '2026-03-02T09:05:09.120-05:00',
  transactionId: 'TX-1',
  imageSignature: PNG,
  valeursChampUtilisateur: VALEURS,
  consentements: CONSENTEMENTS,
};

let app: TestApp;
let tenant: OpenTenant;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  tenant = await openTenant(app);
});

const partner = (method: string, path: string, body?: unknown) =>
  app.send(tenant.partenaire, method, path, body);
const platform = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  app.send(tenant.plateforme, method, SIGNING_PATH + path, body, headers);
const send = (overrides: object = {}, headers?: Record<string, string>) =>
  sign(app, tenant.plateforme, overrides, headers);
const sent = (overrides: object = {}, headers?: Record<string, string>) =>
  signed(app, tenant.plateforme, overrides, headers);

/** Makes something of the tenant that a signing refers to. */
async function made(path: string, body: object): Promise<Answer['json']> {
  const answer = await partner('POST', `/b2b/v2/${path}`, body);
  expect(answer.status).toBe(201);
  return answer.json;
}
async function makeChamps(): Promise<void> {
  for (const champ of CHAMPS) await made('champ-utilisateur', champ);
}
async function makeAll(): Promise<void> {
  await makeChamps();
  for (const idExterne of ['INFO', 'TEXTOS']) {
    await made('objet-consentement', { idExterne, nom: `Objet ${idExterne}` });
  }
}
const makeForm = async (overrides: object = {}): Promise<string> =>
  (await made('formulaire', { titre: 'Carte', syndicatIdExterne: 'SYN-1', ...overrides })).id as string;

/** Rows of a table of the tenant. */
async function stored(table: string): Promise<Answer['json'][]> {
  return (await app.database.query(`SELECT * FROM ${table} WHERE tenant_id = $1`, [tenant.tenantId])).rows;
}
async function counts(...tables: string[]): Promise<Record<string, number>> {
  const entries = tables.map(async (table) => [table, (await stored(table)).length] as const);
  return Object.fromEntries(await Promise.all(entries));
}
/** The data of the tenant's events as it is kept. */
async function events(type: string): Promise<string[]> {
  const { rows: found } = await app.database.query<{ data: string }>(
    'SELECT data::text FROM evenement WHERE tenant_id = $1 AND type = $2 ORDER BY date_creation, id_unique',
    [tenant.tenantId, type],
  );
  return found.map(({ data }) => data);
}
const everything = () => digests(app.database);
/** Makes the employees a minute older, so that a change of their time shows. */
async function age(): Promise<void> {
  await app.database.query(
    `UPDATE employe SET derniere_maj = derniere_maj - interval '1 minute' WHERE tenant_id = $1`,
    [tenant.tenantId],
  );
}
const employe = async (id: string): Promise<Answer['json']> =>
  (await partner('GET', `/b2b/v2/employe/${id}`)).json;

describe('POST /plateforme/v1/adhesions of a known employee', () => {
  it('201 answers the V2 item, exact to every property, with Location; the list and the event hold the same bytes', async () => {
    await makeAll();
    const answer = await sent(WHOLE);
    const { idUniqueAdhesion } = answer.json;
    expect(answer.text).toBe(
      JSON.stringify({
        dateSignature: '2026-03-02T14:05:09.120Z',
        idUniqueAdhesion,
        transactionId: 'TX-1',
        aSignatureManuscripte: true,
        syndicatIdExterne: 'SYN-1',
        syndicatNom: 'Syndicat Un',
        employeIdExterne: 'E-1',
        employeIdUnique: (await employe('E-1')).idUnique,
        employePrenom: 'Zoé',
        employeNom: 'Roy',
        courriel: 'zoe.roy@example.org',
        ...CONTACT,
        valeursChampUtilisateur: VALEURS_V2,
      }),
    );
    expect(idUniqueAdhesion).toMatch(GUID);
    expect(answer.headers.get('location')).toBe(`${SIGNING_PATH}/${idUniqueAdhesion}`);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await partner('GET', '/b2b/v2/adhesion')).text).toBe(`[${answer.text}]`);
    expect(await events('adhesion.signee')).toEqual([answer.text]);
    expect(await events('conciliation.demandee')).toEqual([]);
    expect((await stored('adhesion'))[0]).toMatchObject({ no_membre: 'M-7', avec_paiement: false });
    const [image] = await stored('signature_manuscrite');
    expect(image).toMatchObject({ adhesion_id: idUniqueAdhesion, demande_id: null });
    expect(dataUrl(image.png)).toBe(PNG);
  });

  it.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['blank', '  '],
  ])(
    '201 where all that may be left out is %s: null, no values, and the time of the request',
    async (_what, value) => {
      const names = [...Object.keys(CONTACT), 'noMembre', 'transactionId', 'imageSignature', 'formulaireId'];
      const lists =
        value === undefined || value === null ? { valeursChampUtilisateur: value, consentements: value } : {};
      const before = Date.now();
      const { json } = await sent({
        ...Object.fromEntries(names.map((name) => [name, value])),
        ...{ ...lists, dateSignature: value },
      });
      expect(json).toMatchObject({
        ...Object.fromEntries(Object.keys(CONTACT).map((name) => [name, null])),
        ...{ transactionId: null, aSignatureManuscripte: false, valeursChampUtilisateur: [] },
        dateSignature: expect.stringMatching(INSTANT),
      });
      expect(Date.parse(json.dateSignature)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(json.dateSignature)).toBeLessThanOrEqual(Date.now());
      expect(await counts('consentement', 'signature_manuscrite')).toEqual({
        consentement: 0,
        signature_manuscrite: 0,
      });
      expect((await stored('adhesion'))[0]).toMatchObject({ no_membre: null, formulaire_id: null });
    },
  );

  it.each([
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-03-02', '2026-03-02T00:00:00.000Z'],
    ['2026-03-02T00:00:00+14:00', '2026-03-01T10:00:00.000Z'],
  ])('201 with the date %s, read as %s everywhere', async (dateSignature, expected) => {
    await makeAll();
    const card = await sent({ dateSignature, consentements: CONSENTEMENTS });
    expect(card.json.dateSignature).toBe(expected);
    expect((await partner('GET', `/b2b/v2/adhesion?apres=${expected}&avant=${expected}`)).text).toBe(
      `[${card.text}]`,
    );
    expect((await employe('E-1')).adhesions).toMatchObject([{ dateAdhesion: expected }]);
    expect((await partner('GET', `/b2b/v1/consentement?depuis=${expected}`)).json).toHaveLength(2);
  });

  it('makes the membership if it is missing, of the day of the signature; only then does the employee change', async () => {
    await age();
    const before = await employe('E-1');
    await sent({ dateSignature: '2026-03-02T14:05:09.120Z' });
    const joined = await employe('E-1');
    expect(joined.adhesions).toEqual([
      expect.objectContaining({ syndicatIdExterne: 'SYN-1', dateAdhesion: '2026-03-02T14:05:09.120Z' }),
    ]);
    expect(joined.derniereMAJ > before.derniereMAJ).toBe(true);
    expect({ ...joined, adhesions: [], derniereMAJ: '' }).toEqual({ ...before, derniereMAJ: '' });
    await age();
    const [aged, others] = [await employe('E-1'), await employe('E-2')];
    await sent({ dateSignature: '2020-01-01T00:00:00Z' });
    expect(await employe('E-1')).toEqual(aged);
    await sent({ syndicatIdExterne: 'SYN-2' });
    expect((await employe('E-1')).derniereMAJ > aged.derniereMAJ).toBe(true);
    expect((await employe('E-1')).adhesions).toHaveLength(2);
    expect(await employe('E-2')).toEqual(others);
  });

  it('leaves a membership that a sync has made as it is', async () => {
    await synced(app, tenant.partenaire, {
      Employes: [
        {
          ...{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy' },
          Adhesions: [{ SyndicatIdExterne: 'SYN-1', DateAdhesion: '2019-01-01T00:00:00Z' }],
        },
      ],
    });
    await age();
    const before = await employe('E-1');
    await sent();
    expect(await employe('E-1')).toEqual(before);
  });

  it('leaves the data of the employee alone; the card is found by the employee’s number where none was signed', async () => {
    await synced(app, tenant.partenaire, {
      Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy', NoMembre: 'M-1', Ville: 'Laval' }],
    });
    await sent({ prenom: 'Zoë', ville: 'Alma' });
    await sent({ noMembre: 'M-9' });
    expect(await employe('E-1')).toMatchObject({ prenom: 'Zoé', ville: 'Laval', noMembre: 'M-1' });
    expect((await stored('adhesion')).map(({ no_membre }) => no_membre).sort()).toEqual(['M-1', 'M-9']);
  });

  it('adds the consents to the history, of the time of the signature and with the values in V1’s shape', async () => {
    await makeAll();
    await sent(WHOLE);
    const read = (await partner('GET', '/b2b/v1/consentement/E-1')).json as {
      objetConsentement: { idExterne: string };
    }[];
    expect(
      read.sort((a, b) => (a.objetConsentement.idExterne < b.objetConsentement.idExterne ? -1 : 1)),
    ).toEqual(
      CONSENTEMENTS.map(({ objetConsentementIdExterne: idExterne, accepte }) => ({
        idExterneEmploye: 'E-1',
        objetConsentement: { idExterne, nom: `Objet ${idExterne}` },
        accepte,
        dateConsentement: '2026-03-02T14:05:09.120Z',
        valeursChampUtilisateur: VALEURS_V1,
      })),
    );
  });

  it('values keep the order sent; an empty one is none', async () => {
    await makeChamps();
    const valeurs = [
      { NomChamp: 'Bilingue', Valeur: ' true ' },
      { NomChamp: 'Quart', Valeur: null },
      { NomChamp: 'Surnom', Valeur: ' ' },
      { NomChamp: 'Depuis', Valeur: '2020-02-29T23:30:00-05:00' },
    ];
    expect((await sent({ valeursChampUtilisateur: valeurs })).json.valeursChampUtilisateur).toEqual([
      { type: 'booleen', nom: 'Bilingue', valeur: true },
      { type: 'date', nom: 'Depuis', valeur: '2020-03-01T04:30:00.000Z' },
    ]);
    expect(await counts('valeur_champ_employe')).toEqual({ valeur_champ_employe: 0 });
  });

  it('the card and its consents stay as signed, whatever becomes of the employee, the fields and the form', async () => {
    await makeAll();
    const formulaireId = await makeForm({ champs: CHAMPS.map(({ nom }) => nom) });
    const card = (await sent({ ...WHOLE, formulaireId })).text;
    const consents = (await partner('GET', '/b2b/v1/consentement')).text;
    const changes: [string, () => Promise<unknown>][] = [
      [
        'PUT',
        () =>
          partner('PUT', '/b2b/v1/employe', {
            idExterne: 'E-1',
            prenom: 'A',
            nom: 'B',
            courriel: 'a@b.ca',
            ville: 'C',
          }),
      ],
      [
        'V1 sync',
        () =>
          syncedV1(app, tenant.partenaire, {
            employes: [{ idExterne: 'E-1', prenom: 'D', nom: 'E', ville: 'F' }],
          }),
      ],
      [
        'V2 sync',
        () =>
          synced(app, tenant.partenaire, {
            Employes: [
              {
                ...{ IdExterne: 'E-1', Prenom: 'G', Nom: 'H', Ville: 'I' },
                ValeursChampUtilisateur: [
                  { NomChamp: 'Quart', Valeur: 'JOUR' },
                  { NomChamp: 'Surnom', Valeur: 'Autre' },
                ],
              },
            ],
          }),
      ],
      [
        'another label',
        () =>
          partner('PUT', '/b2b/v2/champ-utilisateur', {
            ...CHAMPS[3],
            choix: [
              { idExterne: 'JOUR', libelle: 'Le jour' },
              { idExterne: 'NUIT', libelle: 'La nuit' },
            ],
          }),
      ],
      [
        'a choice removed',
        () =>
          partner('PUT', '/b2b/v2/champ-utilisateur', {
            ...CHAMPS[3],
            choix: [{ idExterne: 'JOUR', libelle: 'Le jour' }],
          }),
      ],
      ['another type', () => partner('PUT', '/b2b/v2/champ-utilisateur', { nom: 'Depuis', type: 'texte' })],
      [
        'another form',
        () =>
          partner('PUT', `/b2b/v2/formulaire/${formulaireId}`, {
            titre: 'Autre',
            syndicatIdExterne: 'SYN-2',
          }),
      ],
      ['a field deleted', () => partner('DELETE', '/b2b/v2/champ-utilisateur/Bilingue')],
    ];
    for (const [what, change] of changes) {
      const answer = (await change()) as Answer;
      expect([what, [200, 204].includes(answer.status)]).toEqual([what, true]);
      expect([what, (await partner('GET', '/b2b/v2/adhesion')).text]).toEqual([what, `[${card}]`]);
      expect([what, (await partner('GET', '/b2b/v1/consentement')).text]).toEqual([what, consents]);
      expect([what, await events('adhesion.signee')]).toEqual([what, [card]]);
    }
    expect((await employe('E-1')).prenom).toBe('G');
  });

  it('takes either case of the first letter of every property, and trims texts', async () => {
    await makeAll();
    const upper = (record: object) =>
      Object.fromEntries(
        Object.entries(record).map(([name, value]) => [name[0]!.toUpperCase() + name.slice(1), value]),
      );
    const folded = upper({
      ...signing({ ...WHOLE, ville: ' Québec ', employeIdExterne: ' E-1 ' }),
      valeursChampUtilisateur: [{ nomChamp: ' Quart ', valeur: ' NUIT ' }],
      consentements: CONSENTEMENTS.map(upper),
    });
    const answer = await platform('POST', '', folded);
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ ville: 'Québec', valeursChampUtilisateur: [VALEURS_V2[0]] });
    expect(await counts('consentement')).toEqual({ consentement: 2 });
  });

  it.each([
    '🙂👩‍🏭',
    '"\'\\',
    '100 % %s %00',
    '<b>&amp;</b>',
    '${x} {{y}}',
    '__proto__',
    'é\u0301\u202e',
    "'; DROP TABLE adhesion; --",
  ])('keeps %s in every text as it is', async (text) => {
    await made('champ-utilisateur', { nom: text, type: 'texte' });
    await made('objet-consentement', { idExterne: text, nom: text });
    await synced(app, tenant.partenaire, {
      Syndicats: [{ IdentifiantExterne: text, Nom: text }],
      Employes: [{ IdExterne: text, Prenom: 'Zoé', Nom: 'Roy' }],
    });
    const names = [
      'prenom',
      'nom',
      'noMembre',
      'transactionId',
      'telephonePrincipal',
      'adresse1',
      'ville',
      'province',
    ];
    const { json, text: card } = await sent({
      ...Object.fromEntries(names.map((name) => [name, text])),
      ...{ employeIdExterne: text, syndicatIdExterne: text },
      valeursChampUtilisateur: [{ NomChamp: text, Valeur: text }],
      consentements: [{ objetConsentementIdExterne: text, accepte: true }],
    });
    expect(json).toMatchObject({
      ...{
        employePrenom: text,
        employeNom: text,
        transactionId: text,
        telephonePrincipal: text,
        adresse1: text,
      },
      ...{ ville: text, province: text, employeIdExterne: text, syndicatIdExterne: text, syndicatNom: text },
      valeursChampUtilisateur: [{ type: 'texte', nom: text, valeur: text }],
    });
    expect(await events('adhesion.signee')).toEqual([card]);
    expect(
      (await partner('GET', `/b2b/v2/adhesion?idExterneSyndicat=${encodeURIComponent(text)}`)).text,
    ).toBe(`[${card}]`);
    expect((await stored('adhesion'))[0].no_membre).toBe(text);
    expect((await partner('GET', '/b2b/v1/consentement')).json[0].objetConsentement).toEqual({
      idExterne: text,
      nom: text,
    });
  });

  it('takes an image of 512 KiB, 200 values and 100 consents', async () => {
    const many = times(200, (n) => `N-${n}`);
    for (const nom of many) await made('champ-utilisateur', { nom, type: 'texte' });
    await synced(app, tenant.partenaire, {
      ObjetsConsentement: many.map((IdExterne) => ({ IdExterne, Nom: IdExterne })),
    });
    const { json } = await sent({
      imageSignature: dataUrl(pngOf(512 * 1024)),
      valeursChampUtilisateur: many.map((NomChamp) => ({ NomChamp, Valeur: NomChamp })),
      consentements: many.slice(0, 100).map((objetConsentementIdExterne) => ({
        objetConsentementIdExterne,
        accepte: true,
      })),
    });
    expect(json.valeursChampUtilisateur).toEqual(many.map((nom) => ({ type: 'texte', nom, valeur: nom })));
    expect(await counts('consentement')).toEqual({ consentement: 100 });
    expect((await stored('signature_manuscrite'))[0].png.equals(pngOf(512 * 1024))).toBe(true);
  });
});

describe('POST /plateforme/v1/adhesions of anybody else', () => {
  it.each([
    ['nobody named', undefined],
    ['null', null],
    ['an empty text', ''],
    ['an unknown employee', 'E-9'],
    ['another casing', 'e-1'],
    ['the employee of another tenant', 'E-ailleurs'],
  ])('%s: 201 {demandeId, statut}, and no card, membership or consent', async (_what, employeIdExterne) => {
    await synced(app, await app.tenant(), {
      Employes: [{ IdExterne: 'E-ailleurs', Prenom: 'Zoé', Nom: 'Roy' }],
    });
    await makeAll();
    const before = await counts('employe', 'membership', 'valeur_champ_employe');
    const answer = await sent({ ...WHOLE, employeIdExterne });
    const { demandeId } = answer.json;
    expect(demandeId).toMatch(GUID);
    expect(answer.text).toBe(`{"demandeId":"${demandeId}","statut":"ATransferer"}`);
    expect(answer.headers.get('location')).toBe(`${SIGNING_PATH}/${demandeId}`);
    expect(await counts('adhesion', 'consentement')).toEqual({ adhesion: 0, consentement: 0 });
    expect(await counts('employe', 'membership', 'valeur_champ_employe')).toEqual(before);
    expect((await partner('GET', '/b2b/v2/adhesion')).text).toBe('[]');
    expect((await partner('GET', '/b2b/v1/consentement')).text).toBe('[]');
    const item = await partner('GET', `/b2b/v2/conciliation/${demandeId}`);
    expect(item.json).toMatchObject({
      ...{ demandeId, statut: 'ATransferer', employeIdExterne: employeIdExterne || null },
      ...{ ...CONTACT, noMembre: 'M-7', transactionId: 'TX-1', aSignatureManuscripte: true },
      ...{ dateSignature: '2026-03-02T14:05:09.120Z', valeursChampUtilisateur: VALEURS_V2 },
    });
    expect(await events('conciliation.demandee')).toEqual([item.text]);
    expect(await events('adhesion.signee')).toEqual([]);
    expect(await stored('signature_manuscrite')).toEqual([
      expect.objectContaining({ adhesion_id: null, demande_id: demandeId }),
    ]);
    expect(await counts('consentement_demande')).toEqual({ consentement_demande: 2 });
  });
});

describe('400 names every fault at once, and nothing is written', () => {
  async function refused(body: object, faults: Record<string, string>): Promise<void> {
    const before = await everything();
    expectFaults(await platform('POST', '', body), faults);
    expect(changed(before, await everything())).toEqual([]);
  }

  it('of what does not exist, is doubled or does not fit, for an employee and for anybody', async () => {
    await makeAll();
    const other = await openTenant(app);
    await app.send(other.partenaire, 'POST', '/b2b/v2/champ-utilisateur', { nom: 'Leur', type: 'texte' });
    await app.send(other.partenaire, 'POST', '/b2b/v2/objet-consentement', {
      idExterne: 'LEUR',
      nom: 'Leur',
    });
    for (const employeIdExterne of ['E-1', undefined]) {
      await refused(
        signing({
          ...{ employeIdExterne, syndicatIdExterne: 'SYN-9', formulaireId: randomUUID() },
          imageSignature: dataUrl(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
          valeursChampUtilisateur: [
            { NomChamp: 'Surnom', Valeur: 'Zo' },
            { NomChamp: 'Surnom', Valeur: 'Zo' },
            { NomChamp: 'surnom', Valeur: 'Zo' },
            { NomChamp: 'Leur', Valeur: 'x' },
            { NomChamp: 'Depuis', Valeur: '29/02/2020' },
            { NomChamp: 'Bilingue', Valeur: 'oui' },
            { NomChamp: 'Quart', Valeur: 'De nuit' },
          ],
          consentements: [
            { objetConsentementIdExterne: 'INFO', accepte: true },
            { objetConsentementIdExterne: 'INFO', accepte: false },
            { objetConsentementIdExterne: 'RIEN', accepte: true },
            { objetConsentementIdExterne: 'LEUR', accepte: true },
          ],
        }),
        {
          '/imageSignature': 'image',
          '/syndicatIdExterne': 'reference',
          '/formulaireId': 'reference',
          '/valeursChampUtilisateur/1/NomChamp': 'duplicate',
          '/valeursChampUtilisateur/2/NomChamp': 'reference',
          '/valeursChampUtilisateur/3/NomChamp': 'reference',
          '/valeursChampUtilisateur/4/Valeur': 'type',
          '/valeursChampUtilisateur/5/Valeur': 'type',
          '/valeursChampUtilisateur/6/Valeur': 'type',
          '/consentements/1/objetConsentementIdExterne': 'duplicate',
          '/consentements/2/objetConsentementIdExterne': 'reference',
          '/consentements/3/objetConsentementIdExterne': 'reference',
        },
      );
    }
  });

  it.each([
    ['Depuis', ['2020-02-30', '2020-02-29T10:00', 'demain', '1582704000', '0000-01-01']],
    ['Bilingue', ['True', 'FALSE', '1', 'null']],
    ['Quart', ['nuit', 'De nuit', 'SOIR', '__proto__', 'constructor']],
  ])('of values of %s that are none', async (NomChamp, valeurs) => {
    await makeChamps();
    for (const Valeur of valeurs) {
      await refused(signing({ valeursChampUtilisateur: [{ NomChamp, Valeur }] }), {
        '/valeursChampUtilisateur/0/Valeur': 'type',
      });
    }
  });

  it.each<[string, unknown, Record<string, string>]>([
    [
      'nothing',
      {},
      {
        '/syndicatIdExterne': 'required',
        '/prenom': 'required',
        '/nom': 'required',
        '/courriel': 'required',
      },
    ],
    ['a list', [signing()], { '': 'type' }],
    ['null', null, { '': 'type' }],
    ['broken JSON', '{"prenom":', { '': 'json' }],
    ['an unknown property', signing({ statut: 'x' }), { '/statut': 'unknown' }],
    [
      'the name of the answer',
      signing({ aSignatureManuscripte: true }),
      { '/aSignatureManuscripte': 'unknown' },
    ],
    ['a property in both casings', signing({ Nom: 'x' }), { '/Nom': 'duplicate' }],
    ['an invalid e-mail', signing({ courriel: 'zoe' }), { '/courriel': 'email' }],
    ['an invalid date', signing({ dateSignature: '02/03/2026' }), { '/dateSignature': 'date' }],
    [
      'a date without offset',
      signing({ dateSignature: '2026-03-02T09:05:09' }),
      { '/dateSignature': 'date' },
    ],
    ['a number as date', signing({ dateSignature: 1_772_460_309 }), { '/dateSignature': 'date' }],
    ['a form that is no GUID', signing({ formulaireId: 'F-1' }), { '/formulaireId': 'uuid' }],
    ['an image that is no text', signing({ imageSignature: {} }), { '/imageSignature': 'type' }],
    [
      'lists that are none',
      signing({ valeursChampUtilisateur: {}, consentements: 'INFO' }),
      { '/valeursChampUtilisateur': 'type', '/consentements': 'type' },
    ],
    [
      'elements that are no objects',
      signing({ valeursChampUtilisateur: [null, 'x'], consentements: [[]] }),
      {
        '/valeursChampUtilisateur/0': 'type',
        '/valeursChampUtilisateur/1': 'type',
        '/consentements/0': 'type',
      },
    ],
    [
      'elements without their properties, and with others',
      signing({ valeursChampUtilisateur: [{ Type: 'texte' }], consentements: [{ nom: 'INFO' }] }),
      {
        '/valeursChampUtilisateur/0/NomChamp': 'required',
        '/valeursChampUtilisateur/0/Type': 'unknown',
        '/consentements/0/objetConsentementIdExterne': 'required',
        '/consentements/0/accepte': 'required',
        '/consentements/0/nom': 'unknown',
      },
    ],
    [
      'values that are no text, and consents neither true nor false',
      signing({
        valeursChampUtilisateur: [{ NomChamp: 'Bilingue', Valeur: true }],
        consentements: [{ objetConsentementIdExterne: 'INFO', accepte: 'true' }],
      }),
      { '/valeursChampUtilisateur/0/Valeur': 'type', '/consentements/0/accepte': 'type' },
    ],
    [
      'lists that are too long',
      signing({
        valeursChampUtilisateur: times(201, (n) => ({ NomChamp: `${n}` })),
        consentements: times(101, (n) => ({ objetConsentementIdExterne: `${n}`, accepte: true })),
      }),
      { '/valeursChampUtilisateur': 'length', '/consentements': 'length' },
    ],
    [
      'long texts',
      signing({
        ...{
          employeIdExterne: 'x'.repeat(256),
          syndicatIdExterne: 'x'.repeat(256),
          transactionId: 'x'.repeat(256),
        },
        ...{ prenom: 'x'.repeat(256), telephonePrincipal: 'x'.repeat(51), codePostal: 'x'.repeat(21) },
      }),
      {
        ...{ '/employeIdExterne': 'length', '/syndicatIdExterne': 'length', '/transactionId': 'length' },
        ...{ '/prenom': 'length', '/telephonePrincipal': 'length', '/codePostal': 'length' },
      },
    ],
  ])('of a body that is %s', async (_what, body, faults) => {
    await refused(body as object, faults);
  });

  it.each([
    ['U+0000', 'a\u0000b'],
    ['the first half of a surrogate pair', 'a\ud83d'],
    ['the second half of a surrogate pair', '\ude42b'],
  ])('of %s in every text', async (_what, text) => {
    const texts = [
      ...[
        'employeIdExterne',
        'syndicatIdExterne',
        'prenom',
        'nom',
        'courriel',
        'telephonePrincipal',
        'adresse1',
        'ville',
      ],
      ...[
        'province',
        'codePostal',
        'noMembre',
        'dateSignature',
        'transactionId',
        'imageSignature',
        'formulaireId',
      ],
    ];
    await refused(
      {
        ...Object.fromEntries(texts.map((name) => [name, text])),
        valeursChampUtilisateur: [{ NomChamp: text, Valeur: text }],
        consentements: [{ objetConsentementIdExterne: text, accepte: true }],
      },
      {
        ...Object.fromEntries(texts.map((name) => [`/${name}`, 'characters'])),
        '/valeursChampUtilisateur/0/NomChamp': 'characters',
        '/valeursChampUtilisateur/0/Valeur': 'characters',
        '/consentements/0/objetConsentementIdExterne': 'characters',
      },
    );
  });

  it.each([
    ['an SVG image as PNG', dataUrl(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))],
    ['a PNG image that is cut off', dataUrl(encodePng({ width: 9, height: 9 }).subarray(0, -1))],
    ['an image of more than 512 KiB', dataUrl(pngOf(512 * 1024 + 1))],
    ['an image of more than 4,096 pixels a side', dataUrl(encodePng({ width: 4_097, height: 1 }))],
    ['a JPEG image', `data:image/jpeg;base64,${Buffer.from('ffd8ffe0', 'hex').toString('base64')}`],
    ['a text that is no data URL', 'signature'],
  ])('of %s as signature', async (_what, imageSignature) => {
    await refused(signing({ imageSignature }), { '/imageSignature': 'image' });
  });

  it('of values that have more than 65,536 characters together', async () => {
    const names = times(33, (n) => `N-${n}`);
    for (const nom of names) await made('champ-utilisateur', { nom, type: 'texte' });
    const valeurs = names.map((NomChamp, n) => ({ NomChamp, Valeur: 'é'.repeat(n < 32 ? 2_000 : 1_536) }));
    await sent({ valeursChampUtilisateur: valeurs });
    valeurs[32]!.Valeur += 'é';
    await refused(signing({ valeursChampUtilisateur: valeurs }), { '/valeursChampUtilisateur': 'length' });
  });

  it('413 for an image of 10 MB', async () => {
    const before = await everything();
    const answer = await send({ imageSignature: dataUrl(Buffer.alloc(10_000_000)) });
    expectProblem(answer, 413, 'Requete.TropVolumineuse');
    expect(changed(before, await everything())).toEqual([]);
  });

  it('of an unknown query parameter', async () => {
    expectFaults(await platform('POST', '?simulation=true', signing()), { '?simulation': 'unknown' });
    expect(await counts('adhesion')).toEqual({ adhesion: 0 });
  });
});

describe('a signing with a form', () => {
  const obligatoire = async (nom: string): Promise<void> => {
    await made('champ-utilisateur', { nom, type: 'texte', obligatoire: true });
  };

  it('201 with values of its mandatory fields, or of more than it asks for; the card keeps the form', async () => {
    await makeChamps();
    await obligatoire('Requis');
    await obligatoire('Ailleurs');
    const formulaireId = await makeForm({ champs: ['Requis', 'Surnom'] });
    const requis = { NomChamp: 'Requis', Valeur: 'x' };
    await sent({ formulaireId, valeursChampUtilisateur: [requis] });
    await sent({ formulaireId: formulaireId.toUpperCase(), valeursChampUtilisateur: [...VALEURS, requis] });
    expect((await stored('adhesion')).map(({ formulaire_id }) => formulaire_id)).toEqual([
      formulaireId,
      formulaireId,
    ]);
    // Without a form nothing is mandatory.
    await sent();
  });

  it('400 names each mandatory field that has no value, and nothing is written', async () => {
    for (const nom of ['Requis', 'Aussi', 'Donné']) await obligatoire(nom);
    const formulaireId = await makeForm({ champs: ['Requis', 'Aussi', 'Donné'] });
    const before = await everything();
    const donne = { NomChamp: 'Donné', Valeur: 'x' };
    for (const valeurs of [
      [donne],
      [donne, { NomChamp: 'Requis', Valeur: '' }, { NomChamp: 'Aussi', Valeur: null }],
      [donne, { NomChamp: 'Aussi' }],
    ]) {
      const answer = await send({ formulaireId, valeursChampUtilisateur: valeurs });
      expectFaults(answer, { '/valeursChampUtilisateur': 'required' });
      const details = answer.json.errors.map(
        ({ detail }: { detail: string }) => /value of (\S+),/.exec(detail)?.[1],
      );
      expect(details).toEqual(['Requis', 'Aussi']);
    }
    expectFaults(await send({ formulaireId, employeIdExterne: null }), {
      '/valeursChampUtilisateur': 'required',
    });
    expect(changed(before, await everything())).toEqual([]);
  });

  it('400 for the form of another union, and for that of another tenant as for none', async () => {
    const formulaireId = await makeForm();
    expectFaults(await send({ formulaireId, syndicatIdExterne: 'SYN-2' }), { '/formulaireId': 'reference' });
    const other = await openTenant(app);
    const foreign = await sign(app, other.plateforme, { formulaireId });
    expectFaults(foreign, { '/formulaireId': 'reference' });
    const none = await sign(app, other.plateforme, { formulaireId: randomUUID() });
    expect(comparable(foreign)).toEqual(comparable(none));
    expect(await counts('adhesion', 'demande_adhesion')).toEqual({ adhesion: 0, demande_adhesion: 0 });
  });

  it('409 Formulaire.Inactif with one that is not active, and nothing is written', async () => {
    const formulaireId = await makeForm({ actif: false });
    const before = await everything();
    for (const employeIdExterne of ['E-1', undefined]) {
      expectProblem(await send({ formulaireId, employeIdExterne }), 409, 'Formulaire.Inactif');
      // What is wrong with the request itself is told first.
      const elsewhere = await send({ formulaireId, employeIdExterne, syndicatIdExterne: 'SYN-2' });
      expectFaults(elsewhere, { '/formulaireId': 'reference' });
    }
    expect(changed(before, await everything())).toEqual([]);
  });
});

describe('a signing is written whole or not at all', () => {
  /** Makes one statement on a table fail for this tenant, at once or when the transaction commits. */
  async function broken<T>(table: string, on: string, deferred: boolean, work: () => Promise<T>): Promise<T> {
    await app.database.query(
      `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN RAISE EXCEPTION USING MESSAGE = ''refused''; END'`,
    );
    await app.database.query(
      `CREATE ${deferred ? 'CONSTRAINT' : ''} TRIGGER refuse AFTER ${on} ON ${table}
       ${deferred ? 'DEFERRABLE INITIALLY DEFERRED' : ''} FOR EACH ROW
       WHEN (NEW.tenant_id = '${tenant.tenantId}') EXECUTE FUNCTION refuse()`,
    );
    try {
      return await work();
    } finally {
      await app.database.query(`DROP TRIGGER refuse ON ${table}`);
    }
  }
  const CARD = ['adhesion', 'membership', 'employe', 'consentement', 'signature_manuscrite', 'evenement'];
  const REQUEST = ['demande_adhesion', 'consentement_demande', 'signature_manuscrite', 'evenement'];

  it.each([
    ...CARD.map((table): [string, string, string[]] => [table, 'E-1', CARD]),
    ...REQUEST.map((table): [string, string, string[]] => [table, 'E-9', REQUEST]),
  ])(
    '500 where %s cannot be written in a signing of %s, and nothing of it remains',
    async (table, who, all) => {
      await makeAll();
      const overrides = { ...WHOLE, employeIdExterne: who };
      const before = await everything();
      const on = table === 'employe' ? 'UPDATE' : 'INSERT';
      for (const headers of [{}, { 'Idempotency-Key': 'one' }] as Record<string, string>[]) {
        for (const deferred of [false, true]) {
          const answer = await broken(table, on, deferred, () => send(overrides, headers));
          expectProblem(answer, 500, 'Service.ErreurInterne');
          expect(answer.text).not.toContain('refused');
          expect(changed(before, await everything())).toEqual([]);
        }
      }
      // Negative control: where nothing fails, the same request writes all of these.
      await sent(overrides, { 'Idempotency-Key': 'one' });
      expect(changed(before, await everything()).sort()).toEqual([...all, 'idempotency_record'].sort());
    },
  );
});

describe('signings at the same time', () => {
  it('replays the first answer to the same Idempotency-Key: one card, one event', async () => {
    await makeAll();
    for (const employeIdExterne of ['E-1', null]) {
      const headers = { 'Idempotency-Key': `key of ${employeIdExterne}` };
      const first = await sent({ ...WHOLE, employeIdExterne }, headers);
      const again = await send({ ...WHOLE, employeIdExterne }, headers);
      expect([again.status, again.text, again.headers.get('location')]).toEqual([
        201,
        first.text,
        first.headers.get('location'),
      ]);
      const reused = await send({ ...WHOLE, employeIdExterne, ville: 'Alma' }, headers);
      expectProblem(reused, 422, 'Idempotence.CleReutilisee');
    }
    expect(await counts('adhesion', 'demande_adhesion', 'evenement', 'consentement')).toEqual({
      ...{ adhesion: 1, demande_adhesion: 1, evenement: 2, consentement: 2 },
    });
  });

  it.each(['E-1', 'E-9'])(
    'twenty equal ones of %s under one Idempotency-Key are one',
    async (employeIdExterne) => {
      await makeAll();
      const once = () => send({ ...WHOLE, employeIdExterne }, { 'Idempotency-Key': 'one' });
      const answers = await Promise.all(times(20, once));
      for (const answer of answers) {
        if (answer.status !== 201) expectProblem(answer, 409, 'Idempotence.EnCours');
      }
      const texts = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text));
      expect(texts.size).toBe(1);
      expect([(await once()).text]).toEqual([...texts]);
      const { adhesion, demande_adhesion, evenement } = await counts(
        'adhesion',
        'demande_adhesion',
        'evenement',
      );
      expect([adhesion! + demande_adhesion!, evenement]).toEqual([1, 1]);
    },
  );

  it('twenty of one employee are twenty cards and one membership', async () => {
    await makeAll();
    const answers = await Promise.all(times(20, () => send(WHOLE)));
    expect(answers.map(({ status }) => status)).toEqual(times(20, () => 201));
    expect(new Set(answers.map(({ json }) => json.idUniqueAdhesion)).size).toBe(20);
    expect(
      await counts('adhesion', 'membership', 'evenement', 'consentement', 'signature_manuscrite'),
    ).toEqual({
      ...{ adhesion: 20, membership: 1, evenement: 20, consentement: 40, signature_manuscrite: 20 },
    });
    expect((await events('adhesion.signee')).sort()).toEqual(answers.map(({ text }) => text).sort());
  });

  it('of a signing and the deletion of its employee one is first: a card that stays, or a request', async () => {
    for (let round = 0; round < 20; round++) {
      const id = `R-${round}`;
      await synced(app, tenant.partenaire, { Employes: [{ IdExterne: id, Prenom: 'Zoé', Nom: 'Roy' }] });
      const remove = () => partner('DELETE', `/b2b/v1/employe/${id}`);
      const signs = () => sent({ employeIdExterne: id });
      const answers = await Promise.all(round % 2 ? [remove(), signs()] : [signs(), remove()]);
      const [removal, card] = (round % 2 ? answers : answers.reverse()) as [Answer, Answer];
      const isRequest = card.json.demandeId !== undefined;
      if (isRequest) expect(removal.status).toBe(204);
      else expectProblem(removal, 409, 'Employe.LieAdhesions');
      expect((await partner('GET', `/b2b/v2/adhesion?idExterneEmploye=${id}`)).json).toHaveLength(
        isRequest ? 0 : 1,
      );
    }
  });

  it('beside a sync that makes the same memberships: all pass, each employee is a member once', async () => {
    for (let round = 0; round < 8; round++) {
      const ids = times(5, (n) => `S-${round}-${n}`);
      const body = (prenom: string, Adhesions: object[]) => ({
        Employes: ids.map((IdExterne) => ({ IdExterne, Prenom: prenom, Nom: 'Roy', Adhesions })),
      });
      await synced(app, tenant.partenaire, body('Zoé', []));
      const joined = body(`Zoé ${round}`, [
        { SyndicatIdExterne: 'SYN-1', DateAdhesion: '2026-01-01T00:00:00Z' },
        { SyndicatIdExterne: 'SYN-2', DateAdhesion: '2026-01-01T00:00:00Z' },
      ]);
      const signs = ids.flatMap((employeIdExterne) =>
        ['SYN-1', 'SYN-2'].map((syndicatIdExterne) => {
          const headers: Record<string, string> = round % 2 ? { 'Idempotency-Key': randomUUID() } : {};
          return sent({ employeIdExterne, syndicatIdExterne }, headers);
        }),
      );
      await Promise.all([synced(app, tenant.partenaire, joined), ...signs]);
      const { rows } = await app.database.query(
        `SELECT FROM membership WHERE tenant_id = $1 AND id_externe_employe LIKE 'S-' || $2 || '-%'`,
        [tenant.tenantId, round],
      );
      expect(rows).toHaveLength(10);
    }
    expect(await counts('adhesion', 'evenement')).toEqual({ adhesion: 80, evenement: 80 });
  });

  it.each<[string, string, (answer: Answer) => void]>([
    [
      'ended',
      'UPDATE formulaire SET actif = false WHERE tenant_id = $1 AND id_unique = $2',
      (answer) => expectProblem(answer, 409, 'Formulaire.Inactif'),
    ],
    [
      'made to ask for more',
      `WITH held AS (UPDATE formulaire SET titre = 'Autre' WHERE tenant_id = $1 AND id_unique = $2)
       INSERT INTO formulaire_champ (tenant_id, formulaire_id, nom_champ, ordre) VALUES ($1, $2, 'Requis', 1)`,
      (answer) => expectFaults(answer, { '/valeursChampUtilisateur': 'required' }),
    ],
  ])(
    'a signing waits for its form that is being %s, and obeys what it has become',
    async (_what, sql, expected) => {
      await made('champ-utilisateur', { nom: 'Requis', type: 'texte', obligatoire: true });
      const formulaireId = await makeForm();
      const rival = new Client({ connectionString: app.config.databaseUrl });
      await rival.connect();
      try {
        await rival.query('BEGIN');
        await rival.query(sql, [tenant.tenantId, formulaireId]);
        const answer = send({ formulaireId });
        await eventually(async () => {
          const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
          return (await app.database.query(waits)).rowCount || undefined;
        }, 'A wait');
        await rival.query('COMMIT');
        expected(await answer);
      } finally {
        await rival.end();
      }
      expect(await counts('adhesion')).toEqual({ adhesion: 0 });
    },
  );

  it('of a signing and the deletion of its form or consent object one is first, never a failure', async () => {
    for (let round = 0; round < 20; round++) {
      const id = `O-${round}`;
      await made('objet-consentement', { idExterne: id, nom: id });
      const formulaireId = await makeForm();
      const who = { employeIdExterne: round % 4 < 2 ? 'E-1' : null };
      const overrides =
        round < 10
          ? { ...who, formulaireId }
          : { ...who, consentements: [{ objetConsentementIdExterne: id, accepte: true }] };
      const remove = () =>
        partner(
          'DELETE',
          round < 10 ? `/b2b/v2/formulaire/${formulaireId}` : `/b2b/v2/objet-consentement/${id}`,
        );
      const headers: Record<string, string> = round % 3 ? {} : { 'Idempotency-Key': id };
      const signs = () => send(overrides, headers);
      const answers = await Promise.all(round % 2 ? [remove(), signs()] : [signs(), remove()]);
      const [removal, card] = (round % 2 ? answers : answers.reverse()) as [Answer, Answer];
      if (card.status === 201) {
        expectProblem(removal, 409, round < 10 ? 'Formulaire.Utilise' : 'ObjetConsentement.Utilise');
      } else {
        const pointer = round < 10 ? '/formulaireId' : '/consentements/0/objetConsentementIdExterne';
        expectFaults(card, { [pointer]: 'reference' });
        expect(removal.status).toBe(204);
      }
    }
  });
});

describe('who may sign', () => {
  it('403 Cle.RoleInsuffisant with a partner’s key, and for a platform key with partners', async () => {
    for (const path of ['', `/${randomUUID()}/paiements`, `/${randomUUID()}/autorisations-paiement`]) {
      expectProblem(await partner('POST', SIGNING_PATH + path, signing()), 403, 'Cle.RoleInsuffisant');
    }
    expectProblem(await partner('GET', `${SIGNING_PATH}/${randomUUID()}`), 403, 'Cle.RoleInsuffisant');
    expectProblem(await app.send(tenant.plateforme, 'GET', '/b2b/v2/adhesion'), 403, 'Cle.RoleInsuffisant');
    expectProblem(await app.send(undefined, 'POST', SIGNING_PATH, signing()), 401, 'Cle.Invalide');
    expect(await counts('adhesion')).toEqual({ adhesion: 0 });
  });

  it('403 Module.NonActif where the client or the key has no module carteMembre, whatever is sent', async () => {
    const without = await openTenant(app, { modules: ['vote', 'voteEnSeance'] });
    const restricted = await platformKey(app, tenant.partenaire, { cleModules: ['vote'] });
    for (const key of [without.plateforme, restricted]) {
      for (const body of [signing(), {}]) {
        const answer = await app.send(key, 'POST', SIGNING_PATH, body);
        expectProblem(answer, 403, 'Module.NonActif');
        expect(answer.json).toMatchObject({ title: 'Forbidden', module: 'carteMembre' });
      }
    }
    expect(await counts('adhesion')).toEqual({ adhesion: 0 });
  });
});

describe('GET /plateforme/v1/adhesions/:id', () => {
  it('a card as V2 shows it, with an ETag, also by its GUID in capitals', async () => {
    const card = await sent();
    const path = `/${card.json.idUniqueAdhesion}`;
    const read = await platform('GET', path);
    expect([read.status, read.text]).toEqual([200, card.text]);
    expect((await platform('GET', path.toUpperCase())).text).toBe(card.text);
    const held = await platform('GET', path, undefined, { 'If-None-Match': read.headers.get('etag')! });
    expect([held.status, held.text]).toEqual([304, '']);
  });

  it('a request with its state and card, before and after its decision', async () => {
    const [rejected, confirmed] = [
      await sent({ employeIdExterne: null }),
      await sent({ employeIdExterne: 'E-9' }),
    ];
    const state = async ({ json }: Answer) => (await platform('GET', `/${json.demandeId}`)).text;
    const expected = (one: Answer, statut: string, adhesionId: string | null) =>
      JSON.stringify({ demandeId: one.json.demandeId, statut, adhesionId });
    for (const one of [rejected, confirmed])
      expect(await state(one)).toBe(expected(one, 'ATransferer', null));
    const path = '/b2b/v2/conciliation';
    await partner('POST', `${path}/${rejected.json.demandeId}/rejeter`, { raison: 'Non' });
    const { adhesionId, idExterne } = (
      await partner('POST', `${path}/${confirmed.json.demandeId}/confirmer`, {})
    ).json;
    expect(await state(rejected)).toBe(expected(rejected, 'Rejetee', null));
    expect(await state(confirmed)).toBe(expected(confirmed, 'Confirmee', adhesionId));
    expect((await platform('GET', `/${adhesionId}`)).json.employeIdExterne).toBe(idExterne);
  });

  it('404 Adhesion.NotFound for none, for what is no GUID, and for another tenant’s card or request as for none', async () => {
    const other = await openTenant(app);
    const none = await platform('GET', `/${randomUUID()}`);
    expectProblem(none, 404, 'Adhesion.NotFound');
    for (const id of [
      'E-1',
      (await signed(app, other.plateforme)).json.idUniqueAdhesion,
      (await signed(app, other.plateforme, { employeIdExterne: null })).json.demandeId,
    ]) {
      expectProblem(await platform('GET', `/${id}`), 404, 'Adhesion.NotFound');
      if (id !== 'E-1') expect(comparable(await platform('GET', `/${id}`))).toEqual(comparable(none));
    }
    expectFaults(await platform('GET', `/${randomUUID()}?statut=x`), { '?statut': 'unknown' });
  });
});

describe('payments and their authorizations', () => {
  const PAIEMENT = { montant: 45.5, devise: 'CAD', reference: 'PAY-1' };
  let card: string;
  beforeEach(async () => {
    card = (await sent()).json.idUniqueAdhesion;
  });
  const pay = (overrides: object = {}, headers?: Record<string, string>) =>
    platform('POST', `/${card}/paiements`, { ...PAIEMENT, ...overrides }, headers);
  const authorize = (body: object, headers?: Record<string, string>) =>
    platform('POST', `/${card}/autorisations-paiement`, body, headers);

  it('201 links a payment, exact to every property, with the card as Location', async () => {
    const answer = await pay({ Montant: undefined });
    const { idUnique, dateCreation } = answer.json;
    expect([idUnique, dateCreation]).toEqual([expect.stringMatching(GUID), expect.stringMatching(INSTANT)]);
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `${SIGNING_PATH}/${card}`]);
    expect(answer.json).toEqual({ ...PAIEMENT, idUnique, idUniqueAdhesion: card, dateCreation });
    expect(await stored('paiement')).toEqual([
      expect.objectContaining({ adhesion_id: card, montant: '45.5', devise: 'CAD', reference: 'PAY-1' }),
    ]);
    expect((await partner('GET', '/b2b/v2/adhesion?avecPaiement=true')).json).toHaveLength(1);
  });

  it('201 links an authorization, exact to every property; it is no payment', async () => {
    const answer = await authorize({ reference: ' AUT-1 ' });
    const { idUnique, dateCreation } = answer.json;
    expect([idUnique, dateCreation]).toEqual([expect.stringMatching(GUID), expect.stringMatching(INSTANT)]);
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `${SIGNING_PATH}/${card}`]);
    expect(answer.json).toEqual({ idUnique, idUniqueAdhesion: card, reference: 'AUT-1', dateCreation });
    expect(await counts('autorisation_paiement', 'paiement')).toEqual({
      autorisation_paiement: 1,
      paiement: 0,
    });
    expect((await partner('GET', '/b2b/v2/adhesion?avecPaiement=true')).json).toEqual([]);
  });

  it.each([
    ['"0.0001"', '0.0001'],
    ['0.0001', '0.0001'],
    ['45.5', '45.5'],
    ['"45.50"', '45.50'],
    ['"  45.50  "', '45.50'],
    ['7', '7'],
    ['1000000000', '1000000000'],
    ['"999999999.9999"', '999999999.9999'],
    ['"123456789.1234"', '123456789.1234'],
  ])('201 with the amount %s, kept and answered to the last digit', async (montant, exact) => {
    const body = JSON.stringify(PAIEMENT).replace('45.5', montant);
    const answer = await platform('POST', `/${card}/paiements`, body);
    expect(answer.status).toBe(201);
    expect(/"montant":([^,}]*)/.exec(answer.text)?.[1]).toBe(exact);
    expect((await stored('paiement'))[0].montant).toBe(exact);
  });

  it.each([
    ...['1e21', '0', '-0', '-1', '0.00001', '1e-7', '1000000000.01', '0.30000000000000004'].map((text) => [
      text,
      'range',
    ]),
    ...[
      '"0"',
      '"0.0000"',
      '"-1"',
      '"0.00001"',
      '"1e3"',
      '"0x10"',
      '"1,5"',
      '"45.5 $"',
      '"NaN"',
      '"Infinity"',
      '".5"',
    ].map((text) => [text, 'range']),
    ...['"1000000000.0001"', '"99999999999999999999"', '"٤٥"'].map((text) => [text, 'range']),
    ...['null', '""', '" "'].map((text) => [text, 'required']),
    ...['true', '[]', '{}', '[45.5]'].map((text) => [text, 'type']),
  ])('400 for the amount %s, and the card stays without payment', async (montant, code) => {
    const body = JSON.stringify(PAIEMENT).replace('45.5', montant);
    expectFaults(await platform('POST', `/${card}/paiements`, body), { '/montant': code });
    expect(await counts('paiement')).toEqual({ paiement: 0 });
    expect((await stored('adhesion'))[0].avec_paiement).toBe(false);
  });

  it.each([
    ['CAD', undefined],
    ['EUR', undefined],
    [' USD ', undefined],
    ['ZZZ', 'currency'],
    ['cad', 'currency'],
    ['Cad', 'currency'],
    ['$', 'currency'],
    ['CADD', 'length'],
    ['', 'required'],
    [null, 'required'],
    [124, 'type'],
  ])('the currency %s: %s', async (devise, code) => {
    const answer = await pay({ devise });
    if (code) expectFaults(answer, { '/devise': code });
    else expect([answer.status, answer.json.devise]).toEqual([201, (devise as string).trim()]);
  });

  it('400 names every fault at once', async () => {
    expectFaults(await platform('POST', `/${card}/paiements`, {}), {
      ...{ '/montant': 'required', '/devise': 'required', '/reference': 'required' },
    });
    expectFaults(await pay({ reference: 'x'.repeat(256), statut: 'x' }), {
      '/reference': 'length',
      '/statut': 'unknown',
    });
    expectFaults(await pay({ reference: 'a\u0000' }), { '/reference': 'characters' });
    expectFaults(await authorize({}), { '/reference': 'required' });
    expectFaults(await authorize({ reference: 4, montant: 1 }), {
      '/reference': 'type',
      '/montant': 'unknown',
    });
    expect(await counts('paiement', 'autorisation_paiement')).toEqual({
      paiement: 0,
      autorisation_paiement: 0,
    });
  });

  it('several may be linked; the same Idempotency-Key links one', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const [first, again] = [await pay({}, headers), await pay({}, headers)];
    expect([again.status, again.text]).toEqual([201, first.text]);
    await pay();
    const answers = await Promise.all(times(10, () => authorize({ reference: 'AUT-1' })));
    expect(answers.map(({ status }) => status)).toEqual(times(10, () => 201));
    expect(await counts('paiement', 'autorisation_paiement')).toEqual({
      paiement: 2,
      autorisation_paiement: 10,
    });
  });

  it('404 Adhesion.NotFound for no card, a request, what is no GUID, and another tenant’s card as for none', async () => {
    const other = await openTenant(app);
    const foreign = (await signed(app, other.plateforme)).json.idUniqueAdhesion as string;
    const request = (await sent({ employeIdExterne: null })).json.demandeId as string;
    for (const [path, body] of [
      ['paiements', PAIEMENT],
      ['autorisations-paiement', { reference: 'AUT-1' }],
    ] as const) {
      const none = await platform('POST', `/${randomUUID()}/${path}`, body);
      for (const id of [foreign, request]) {
        expect(comparable(await platform('POST', `/${id}/${path}`, body))).toEqual(comparable(none));
      }
      for (const answer of [none, await platform('POST', `/E-1/${path}`, body)]) {
        expectProblem(answer, 404, 'Adhesion.NotFound');
      }
    }
    expect(
      (await app.database.query('SELECT FROM paiement WHERE adhesion_id = $1', [foreign])).rowCount,
    ).toBe(0);
    expect(await counts('paiement', 'autorisation_paiement')).toEqual({
      paiement: 0,
      autorisation_paiement: 0,
    });
  });
});
