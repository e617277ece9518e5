import { Client } from 'pg';
import { openTenant, type OpenTenant, sign } from '../adhesion/support/cards';
import { TABLES } from '../boundaries/tables';
import { synced } from '../membership/synced';
import { perFile, perTest } from '../setup/fixtures';
import { type Answer, TestApp } from '../setup/test-app';

const LISTS = [
  ...['/b2b/v1/employe', '/b2b/v2/employe', '/b2b/v1/employeur', '/b2b/v2/syndicat', '/b2b/v2/emploi'],
  ...['/b2b/v2/champ-utilisateur', '/b2b/v2/objet-consentement', '/b2b/v1/consentement'],
  ...[
    '/b2b/v1/adhesion',
    '/b2b/v1/adhesion/E-1',
    '/b2b/v2/adhesion',
    '/b2b/v2/adhesion?idExterneEmploye=E-1',
  ],
  ...['/b2b/v2/conciliation', '/b2b/v2/formulaire'],
];
const EMPLOYES = '/b2b/v2/employe';

/** Tables whose rows no list with a state shows. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  changement: 'The feed has no state.',
  changement_lot: 'The feed has no state.',
  etat_listes: 'It is the state.',
  ancien_identifiant: 'No list shows it.',
  numero_membre: 'It counts identifiers.',
  consentement_demande: 'Waiting cards show no answers.',
  signature_manuscrite: 'Cards say whether they have an image by a column of theirs.',
  paiement: 'Cards say whether they are paid for by a column of theirs.',
  autorisation_paiement: 'Cards do not show authorizations.',
};

const app = perFile(() => TestApp.start());
const tenant = perTest(() => openTenant(app));

const get = (path: string, headers?: Record<string, string>, of: OpenTenant = tenant): Promise<Answer> =>
  app.send(of.partenaire, 'GET', path, undefined, headers);
const put = (path: string, body: object): Promise<Answer> => app.send(tenant.partenaire, 'PUT', path, body);
const post = (path: string, body: object): Promise<Answer> => app.send(tenant.partenaire, 'POST', path, body);
const tagOf = async (path = EMPLOYES, of?: OpenTenant): Promise<string> =>
  (await get(path, undefined, of)).headers.get('etag')!;
const known = (tag: string): Record<string, string> => ({ 'If-None-Match': tag });
const again = async (tag: string, path = EMPLOYES): Promise<number> => (await get(path, known(tag))).status;

async function connected(): Promise<Client> {
  const client = new Client({ connectionString: app.config.databaseUrl });
  await client.connect();
  return client;
}

const fuseau = (fuseauHoraire: string): Promise<Answer> =>
  app.send(app.adminKey, 'PUT', `/admin/v1/clients/${tenant.partenaire.clientId}`, { fuseauHoraire });

/** Makes a field, a form, cards and consents, which the writes below change. */
async function filled(): Promise<void> {
  for (const [path, body] of [
    ['/b2b/v2/champ-utilisateur', { nom: 'Surnom', type: 'texte' }],
    [
      '/b2b/v2/champ-utilisateur',
      { nom: 'Quart', type: 'choix', choix: [{ idExterne: 'NUIT', libelle: 'De nuit' }] },
    ],
    ['/b2b/v1/employe', { idExterne: 'E-3', prenom: 'Ève', nom: 'Roy' }],
    ['/b2b/v2/objet-consentement', { idExterne: 'INFO', nom: 'Infos' }],
    ['/b2b/v2/formulaire', { titre: 'Carte', syndicatIdExterne: 'SYN-1', champs: ['Quart'] }],
  ] as const)
    expect((await post(path, body)).status).toBe(201);
  await sign(app, tenant.plateforme);
  await sign(app, tenant.plateforme, { employeIdExterne: 'INCONNU' });
}

it.each(LISTS)('%s answers a weak ETag, and 304 without a body to a request that names it', async (path) => {
  await filled();
  const first = await get(path);
  const tag = first.headers.get('etag')!;
  expect([first.status, tag]).toEqual([200, expect.stringMatching(/^W\/"[\w-]{27}"$/)]);
  for (const name of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
    const unchanged = await get(path, known(name));
    expect([unchanged.status, unchanged.text, unchanged.headers.get('etag')]).toEqual([304, '', tag]);
    expect(unchanged.headers.get('content-type')).toBeNull();
  }
  const changed = await get(path, known('W/"other"'));
  expect([changed.status, changed.text]).toEqual([200, first.text]);
  const url = new URL(path, 'http://mandat.test');
  url.searchParams.set('limite', '1');
  expect(await again(tag, url.pathname + url.search)).toBe(200);
  const other = await openTenant(app);
  expect((await get(path, known(tag), other)).status).not.toBe(304);
});

it('CSV, pages and filters have ETags of their own', async () => {
  const variants: [path: string, accept?: string][] = [
    ...['', '?limite=1', '?limite=2', '?modifieDepuis=2020-01-01', '?modifieDepuis=2020-01-02'].map(
      (query): [string] => [EMPLOYES + query],
    ),
    [EMPLOYES, 'text/csv'],
    [`${EMPLOYES}?separateur=;`, 'text/csv'],
  ];
  const next = (await get(`${EMPLOYES}?limite=1`)).headers.get('link')!;
  variants.push([next.slice(1 + app.config.publicUrl.length, next.indexOf('>'))]);
  const tags = [];
  for (const [path, Accept = 'application/json'] of variants) {
    const tag = (await get(path, { Accept })).headers.get('etag')!;
    expect((await get(path, { Accept, ...known(tag) })).status).toBe(304);
    tags.push(tag);
  }
  expect(new Set(tags).size).toBe(variants.length);
});

const WRITES: [name: string, write: () => Promise<unknown>][] = [
  ['an employee', () => put('/b2b/v1/employe', { idExterne: 'E-1', prenom: 'Zoé', nom: 'Côté' })],
  ['an employer', () => post('/b2b/v1/employeur', { idExterne: 'EMP-1', nom: 'Usine' })],
  [
    'a value',
    () =>
      synced(app, tenant.partenaire, {
        Employes: [{ ...E_1, ValeursChampUtilisateur: [{ NomChamp: 'Surnom', Valeur: 'Zo' }] }],
      }),
  ],
  [
    'an employer of a union',
    () =>
      synced(app, tenant.partenaire, {
        Syndicats: [
          {
            IdentifiantExterne: 'SYN-1',
            Nom: 'Syndicat Un',
            Employeurs: [{ IdentifiantExterne: 'EMP-1', Nom: 'Usine' }],
          },
        ],
      }),
  ],
  ['an employment', () => synced(app, tenant.partenaire, { Employes: [{ ...E_1, Emplois: [EMPLOI] }] })],
  [
    'the label of a choice',
    () =>
      put('/b2b/v2/champ-utilisateur/Quart', {
        type: 'choix',
        choix: [{ idExterne: 'NUIT', libelle: 'Nuit' }],
      }),
  ],
  ['a field', () => post('/b2b/v2/champ-utilisateur', { nom: 'Depuis', type: 'date' })],
  ['a consent object', () => put('/b2b/v2/objet-consentement/INFO', { nom: 'Nouvelles' })],
  [
    'a consent',
    () =>
      app.send(tenant.plateforme, 'POST', '/plateforme/v1/consentements', {
        idExterneEmploye: 'E-1',
        objetConsentementIdExterne: 'INFO',
        accepte: true,
      }),
  ],
  ['a card', () => sign(app, tenant.plateforme, { employeIdExterne: 'E-2' })],
  ['a card without an employee', () => sign(app, tenant.plateforme, { employeIdExterne: 'AUTRE' })],
  ['the deletion of an employee', () => app.send(tenant.partenaire, 'DELETE', '/b2b/v1/employe/E-3')],
  ['the day', () => fuseau('Pacific/Kiritimati').then(() => fuseau('Pacific/Pago_Pago'))],
];
const E_1 = { IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Côté' };
const EMPLOI = { IdentifiantExterne: 'EM-1', IdentifiantExterneEmployeur: 'EMP-1', Matricule: '1' };

it('every write that lists show changes the ETag once; reads, refused writes and syncs without a change do not', async () => {
  await filled();
  const seen = new Set([await tagOf()]);
  for (const [name, write] of WRITES) {
    const before = await tagOf();
    await write();
    const tag = await tagOf();
    expect([name, await again(before), seen.has(tag)]).toEqual([name, 200, false]);
    seen.add(tag);
  }
  const tag = await tagOf();
  expect((await post('/b2b/v1/employeur', { idExterne: 'EMP-1', nom: 'Usine' })).status).toBe(409);
  await synced(app, tenant.partenaire, { Employes: [{ ...E_1, Emplois: [EMPLOI] }] });
  for (const path of LISTS) await get(path);
  expect(await again(tag)).toBe(304);
});

it('a transaction that commits late changes the ETag', async () => {
  const late = await connected();
  try {
    await late.query(`BEGIN; SELECT set_config('app.tenant_id', '${tenant.tenantId}', true)`);
    await late.query(`UPDATE employe SET nom = 'Tardif' WHERE tenant_id = $1 AND id_externe = 'E-2'`, [
      tenant.tenantId,
    ]);
    await put('/b2b/v1/employe', { idExterne: 'E-1', prenom: 'Zoé', nom: 'Tôt' });
    const tag = await tagOf();
    expect(await again(tag)).toBe(304);
    await late.query('COMMIT');
    const changed = await get(EMPLOYES, known(tag));
    expect([changed.status, changed.text.includes('Tardif')]).toEqual([200, true]);
  } finally {
    await late.end();
  }
});

it('304 reads no row of the list', async () => {
  const tag = await tagOf();
  const holder = await connected();
  try {
    await holder.query('BEGIN; LOCK TABLE employe');
    expect(await again(tag)).toBe(304);
    await holder.query('ROLLBACK');
  } finally {
    await holder.end();
  }
});

it('the state has as many rows as transactions that ran at once, and none waits for another', async () => {
  const rows = async (): Promise<number> => {
    const text = 'SELECT count(*)::int AS count FROM etat_listes WHERE tenant_id = $1';
    return (await app.database.query<{ count: number }>(text, [tenant.tenantId])).rows[0]!.count;
  };
  const rename = (nom: string) => put('/b2b/v1/employe', { idExterne: 'E-1', prenom: 'Zoé', nom });
  const slow = await connected();
  try {
    await slow.query(`BEGIN; SELECT set_config('app.tenant_id', '${tenant.tenantId}', true)`);
    await slow.query(`UPDATE employe SET nom = 'Lent' WHERE tenant_id = $1 AND id_externe = 'E-2'`, [
      tenant.tenantId,
    ]);
    for (const nom of ['Un', 'Deux', 'Trois']) expect((await rename(nom)).status).toBe(200);
    const before = await rows();
    const tag = await tagOf();
    await slow.query('ROLLBACK');
    expect([before <= 2, await again(tag)]).toEqual([true, 304]);
    await rename('Quatre');
    expect([await rows(), await again(tag)]).toEqual([1, 200]);
  } finally {
    await slow.end();
  }
});

it('every table that lists show has its triggers', async () => {
  const { rows } = await app.database.query<{ name: string; triggers: string[] }>(
    `SELECT c.relname AS name, ARRAY(
       SELECT t.tgname::text FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname LIKE 'listes\\_%' ORDER BY 1
     ) AS triggers
     FROM pg_class c WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname = ANY ($1) ORDER BY 1`,
    [[...TABLES.membership!, ...TABLES.consent!, ...TABLES.adhesion!]],
  );
  const without = rows.filter(({ triggers }) => triggers.length !== 3).map(({ name }) => name);
  expect(without.sort()).toEqual(Object.keys(NOT_SHOWN).sort());
});
