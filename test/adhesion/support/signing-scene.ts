import { type Answer, TestApp } from '../../setup/test-app';
import { type OpenTenant, openTenant, PNG, sign, signed, SIGNING_PATH } from './cards';

export const CHAMPS = [
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
export const VALEURS = [
  { NomChamp: 'Quart', Valeur: 'NUIT' },
  { NomChamp: 'Surnom', Valeur: 'Zo' },
  { NomChamp: 'Depuis', Valeur: '2020-02-29' },
  { NomChamp: 'Bilingue', Valeur: 'false' },
];
export const VALEURS_V2 = [
  { type: 'choix', nom: 'Quart', idExterneChoix: 'NUIT' },
  { type: 'texte', nom: 'Surnom', valeur: 'Zo' },
  { type: 'date', nom: 'Depuis', valeur: '2020-02-29T00:00:00.000Z' },
  { type: 'booleen', nom: 'Bilingue', valeur: false },
];
export const NO_VALUE = { valeurTexte: null, valeurDate: null, valeurBooleen: null, valeurChoix: null };
export const VALEURS_V1 = [
  { nom: 'Quart', ...NO_VALUE, valeurChoix: 'De nuit' },
  { nom: 'Surnom', ...NO_VALUE, valeurTexte: 'Zo' },
  { nom: 'Depuis', ...NO_VALUE, valeurDate: '2020-02-29T00:00:00.000Z' },
  { nom: 'Bilingue', ...NO_VALUE, valeurBooleen: false },
];
export const CONSENTEMENTS = [
  { objetConsentementIdExterne: 'INFO', accepte: true },
  { objetConsentementIdExterne: 'TEXTOS', accepte: false },
];
export const CONTACT = {
  telephonePrincipal: '418 555-0142',
  adresse1: '125, rue Saint-Jean',
  ville: 'Québec',
  province: 'QC',
  codePostal: 'G1R 1N4',
};
/** A signing with all possible properties. */
export const WHOLE = {
  ...CONTACT,
  noMembre: 'M-7',
  dateSignature: '2026-03-02T09:05:09.120-05:00',
  transactionId: 'TX-1',
  imageSignature: PNG,
  valeursChampUtilisateur: VALEURS,
  consentements: CONSENTEMENTS,
};

export let app: TestApp;
export let tenant: OpenTenant;

/** Starts the application for a test file, and opens a tenant for each test. */
export function useScene(): void {
  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.stop());
  beforeEach(async () => {
    tenant = await openTenant(app);
  });
}

export const partner = (method: string, path: string, body?: unknown) =>
  app.send(tenant.partenaire, method, path, body);
export const platform = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  app.send(tenant.plateforme, method, SIGNING_PATH + path, body, headers);
export const send = (overrides: object = {}, headers?: Record<string, string>) =>
  sign(app, tenant.plateforme, overrides, headers);
export const sent = (overrides: object = {}, headers?: Record<string, string>) =>
  signed(app, tenant.plateforme, overrides, headers);

/** Creates a record of the tenant that a signing refers to. */
export async function made(path: string, body: object): Promise<Answer['json']> {
  const answer = await partner('POST', `/b2b/v2/${path}`, body);
  expect(answer.status).toBe(201);
  return answer.json;
}
export async function makeChamps(): Promise<void> {
  for (const champ of CHAMPS) await made('champ-utilisateur', champ);
}
export async function makeAll(): Promise<void> {
  await makeChamps();
  for (const idExterne of ['INFO', 'TEXTOS']) {
    await made('objet-consentement', { idExterne, nom: `Objet ${idExterne}` });
  }
}
export const makeForm = async (overrides: object = {}): Promise<string> =>
  (await made('formulaire', { titre: 'Carte', syndicatIdExterne: 'SYN-1', ...overrides })).id as string;

/** Returns the rows of a table of the tenant. */
export async function stored(table: string): Promise<Answer['json'][]> {
  return (await app.database.query(`SELECT * FROM ${table} WHERE tenant_id = $1`, [tenant.tenantId])).rows;
}
/** Counts the rows of the tenant by table; events of the initial syncs are left out. */
export async function counts(...tables: string[]): Promise<Record<string, number>> {
  const entries = tables.map(async (table) => {
    const rows = (await stored(table)) as { type?: string }[];
    return [table, rows.filter(({ type }) => type !== 'sync.terminee').length] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
/** Returns the stored data of the tenant's events. */
export async function events(type: string): Promise<string[]> {
  const { rows: found } = await app.database.query<{ data: string }>(
    'SELECT data::text FROM evenement WHERE tenant_id = $1 AND type = $2 ORDER BY date_creation, id_unique',
    [tenant.tenantId, type],
  );
  return found.map(({ data }) => data);
}
/** Makes the employees a minute older, because a later change of their time must differ. */
export async function age(): Promise<void> {
  await app.database.query(
    `UPDATE employe SET derniere_maj = derniere_maj - interval '1 minute' WHERE tenant_id = $1`,
    [tenant.tenantId],
  );
}
export const employe = async (id: string): Promise<Answer['json']> =>
  (await partner('GET', `/b2b/v2/employe/${id}`)).json;
