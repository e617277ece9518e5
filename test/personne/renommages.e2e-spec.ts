import type { Client } from 'pg';
import { randomUUID } from 'node:crypto';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { IdentifiantsService } from '../../libs/personne/src/application/identifiants.service';
import { PERSONAL_DATA } from '../../libs/personne/src/persistence/personal-data.sql';
import { PersonalDataRepository } from '../../libs/personne/src/persistence/personal-data.repository';
import { eventually, expectFaults, expectProblem } from '../http/expect-problem';
import { TEST_ACTOR } from '../setup/actor';
import { lockWaits } from '../setup/lock-waits';
import { type Answer, TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { employee, employer, job, type Loose, many, membership, Partner, union } from '../sync/support';
import { ballot } from '../voting/support/votes';
import { Space } from './space';
import { dump, tracesOf } from './support';

const MANY = '/b2b/v2/employe/nouveaux-identifiants';

let app: TestApp;
let partner: Partner;
let rival: Client;
beforeAll(async () => {
  app = await TestApp.own('sees all tenants');
  rival = await app.connect();
});
afterAll(() => app.stop());
beforeEach(async () => {
  partner = await Partner.start(app);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rival.query('ROLLBACK');
});

const one = (ancien: string, idExterne: string, headers?: Record<string, string>, of = partner) =>
  of.send('POST', `/b2b/v2/employe/${encodeURIComponent(ancien)}/nouvel-identifiant`, { idExterne }, headers);
const pairs = (...list: [string, string][]): object[] =>
  list.map(([ancien, nouveau]) => ({ ancien, nouveau }));
const rename = (list: unknown[], query = '', headers?: Record<string, string>): Promise<Answer> =>
  partner.send('POST', MANY + query, list, headers);
const read = (id: string, of = partner): Promise<Answer> =>
  of.send('GET', `/b2b/v2/employe/${encodeURIComponent(id)}`);
/** Makes employees who share all that unique keys contain, with their identifier as a first name. */
async function employees(...ids: string[]): Promise<void> {
  const { text } = await partner.sync({
    Syndicats: [union('SYN', [employer('EMP')])],
    Employes: ids.map((id) =>
      employee(id, {
        ...{ Prenom: id, Emplois: [job('J', 'EMP', { Matricule: id })], Adhesions: [membership('SYN')] },
      }),
    ),
  });
  expect(text).not.toContain('Message');
}
/** First names by identifier, and those of the employment's number, which show whose it is. */
async function names(): Promise<Record<string, string>> {
  const list = (await partner.get('/b2b/v2/employe')) as Loose[];
  return Object.fromEntries(
    list.map(({ idExterne, prenom, emplois, adhesions }) => {
      const [{ matricule } = { matricule: undefined }] = emplois as { matricule: string }[];
      expect([matricule, (adhesions as unknown[]).length]).toEqual([prenom, 1]);
      return [idExterne, prenom];
    }),
  );
}
async function feed(): Promise<Loose[]> {
  return (await partner.get('/b2b/v2/changement')) as Loose[];
}

describe('POST /b2b/v2/employe/:idExterne/nouvel-identifiant', () => {
  it('the same employee has the new identifier; a read by the former one names it; the feed shows both', async () => {
    await employees('A');
    const before = (await read('A')).json;
    const from = (await feed()).length;
    const { status, json } = await one('A', 'B é/1');
    expect(status).toBe(200);
    expect(json).toEqual({ ...before, idExterne: 'B é/1', derniereMAJ: expect.any(String) });
    expect(json.derniereMAJ > before.derniereMAJ).toBe(true);
    expect((await read('B é/1')).json).toEqual(json);
    for (const path of [
      '/b2b/v2/employe/A',
      '/b2b/v1/employe/A',
      '/b2b/v1/consentement/A',
      '/b2b/employe/A/derniere-image-signature',
      '/b2b/adhesion/A/image-signature',
    ])
      expectProblem(await partner.send('GET', path), 404, 'Employe.NotFound', '"B é/1"');
    const changes = (await feed()).slice(from);
    expect(changes).toEqual([
      expect.objectContaining({
        ...{ entite: 'Employe', idExterne: 'B é/1', ancienIdExterne: 'A', nature: 'Modifie', origine: 'api' },
      }),
    ]);
  });

  it('the former identifier names the present one after several renamings; a new employee with it is read', async () => {
    await employees('A');
    await one('A', 'B');
    await one('B', 'C');
    for (const id of ['A', 'B']) expectProblem(await read(id), 404, 'Employe.NotFound', '"C"');
    await employees('A');
    expect((await read('A')).json.prenom).toBe('A');
    expectProblem(await read('B'), 404, 'Employe.NotFound', '"C"');
  });

  it('the signature of a former identifier that could be the GUID of a card', async () => {
    const guid = randomUUID();
    const image = (): Promise<Answer> => partner.send('GET', `/b2b/adhesion/${guid}/image-signature`);
    expectProblem(await image(), 404, 'Adhesion.NotFound');
    await employees(guid);
    await one(guid, 'B');
    expectProblem(await image(), 404, 'Employe.NotFound', '"B"');
  });

  it.each([
    ['alone', (ancien: string) => one(ancien, 'B')],
    ['in a list', (ancien: string) => rename(pairs([ancien, 'B']))],
  ])('an identifier that could not be written today can be renamed: %s', async (_how, renamed) => {
    await partner.sync({ Employes: [employee('A')] });
    await app.database.query(
      `UPDATE employe SET id_externe = E'A\\u200B' WHERE tenant_id = $1 AND id_externe = 'A'`,
      [partner.tenant.tenantId],
    );
    expect((await renamed('A\u200B')).status).toBe(200);
    expect((await read('B')).status).toBe(200);
  });

  it('unknown, used, and another tenant’s identifiers', async () => {
    await employees('A', 'B');
    const other = await Partner.start(app);
    await other.sync({ Employes: [employee('X')] });
    expectProblem(await one('NONE', 'C'), 404, 'Employe.NotFound');
    expectProblem(await one('X', 'C'), 404, 'Employe.NotFound');
    expect(expectProblem(await one('A', 'B'), 409, 'Employe.IdExterneDejaUtilise', '"A" → "B"')).toEqual({
      '/idExterne': 'used',
    });
    expectFaults(await one('A', ' '), '/idExterne required');
    // Identifiers of other tenants are free.
    expect((await one('A', 'X')).status).toBe(200);
    expectProblem(await one('A', 'Y'), 404, 'Employe.NotFound', '"X"');
    expect((await read('X', other)).json.prenom).toBe('Zoé');
    const unchanged = await read('X');
    expect((await one('X', 'X')).json).toEqual(unchanged.json);
  });

  it('an Idempotency-Key repeats the response; one entry in the audit trail', async () => {
    await employees('A');
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await one('A', 'B', headers);
    const second = await one('A', 'B', headers);
    expect([second.status, second.json]).toEqual([200, first.json]);
    const { rows } = await app.database.query(
      `SELECT objet_id FROM journal WHERE tenant_id = $1 AND action = 'employe.renommer'`,
      [partner.tenant.tenantId],
    );
    expect(rows).toEqual([{ objet_id: first.json.idUnique }]);
  });

  it('waits for syncs that have not ended and name the employee', async () => {
    await employees('A', 'B');
    const body = { Employes: [employee('A')] };
    expect((await partner.sync(body, '', { Prefer: 'respond-async' })).status).toBe(202);
    expectProblem(await one('A', 'C'), 409, 'Employe.SyncEnAttente');
    expect((await one('B', 'D')).status).toBe(200);
    expectProblem(await rename(pairs(['A', 'C'])), 409, 'Employe.SyncEnAttente');
    expect((await rename(pairs(['D', 'B']))).status).toBe(200);
    // In a long list no identifier is looked for.
    const long = many(101, (n) => ({ ancien: `N-${n}`, nouveau: `P-${n}` }));
    expectProblem(await rename(long), 409, 'Employe.SyncEnAttente');
  });

  it('a plan that names the employee by the former or by the new identifier is stale', async () => {
    await employees('A', 'B');
    const plans = [];
    for (const id of ['A', 'C', 'B']) {
      const { json } = await partner.send('POST', '/b2b/v2/plan', {
        Employes: [employee(id, { Prenom: id, Ville: 'Laval' })],
      });
      plans.push(json.id);
    }
    await one('A', 'C');
    const [former, future, unrelated] = plans;
    for (const id of [former, future])
      expectProblem(await partner.send('POST', `/b2b/v2/plan/${id}/appliquer`), 409, 'Plan.Perime');
    expect((await partner.send('POST', `/b2b/v2/plan/${unrelated}/appliquer`)).status).toBe(200);
  });
});

describe('POST /b2b/v2/employe/nouveaux-identifiants', () => {
  it.each<[string, [string, string][], Record<string, string>]>([
    [
      'a chain',
      [
        ['B', 'C'],
        ['A', 'B'],
      ],
      { B: 'A', C: 'B', D: 'D' },
    ],
    [
      'the chain in the other order',
      [
        ['A', 'B'],
        ['B', 'C'],
      ],
      { B: 'A', C: 'B', D: 'D' },
    ],
    [
      'a swap',
      [
        ['A', 'B'],
        ['B', 'A'],
      ],
      { B: 'A', A: 'B', D: 'D' },
    ],
    [
      'a cycle',
      [
        ['A', 'B'],
        ['B', 'D'],
        ['D', 'A'],
      ],
      { B: 'A', D: 'B', A: 'D' },
    ],
    [
      'equal identifiers',
      [
        ['A', 'A'],
        ['B', 'Z'],
      ],
      { A: 'A', Z: 'B', D: 'D' },
    ],
  ])('%s', async (_name, list, expected) => {
    await employees('A', 'B', 'D');
    const from = (await feed()).length;
    expect((await rename(pairs(...list), '?simulation=true')).json).toEqual({
      nombreModifies: list.filter(([ancien, nouveau]) => ancien !== nouveau).length,
    });
    expect(await names()).toEqual({ A: 'A', B: 'B', D: 'D' });
    expect(await feed()).toHaveLength(from);
    expect((await rename(pairs(...list))).status).toBe(200);
    expect(await names()).toEqual(expected);
    const changes = (await feed())
      .slice(from)
      .map(({ ancienIdExterne, idExterne }) => [ancienIdExterne, idExterne]);
    expect(changes).toEqual(list.filter(([ancien, nouveau]) => ancien !== nouveau));
  });

  it('an identifier that another employee keeps is 409 with the pairs, and nothing is written', async () => {
    await employees('A', 'B', 'C', 'D');
    const answer = await rename(pairs(['C', 'E'], ['A', 'B'], ['D', 'D']));
    expect(expectProblem(answer, 409, 'Employe.IdExterneDejaUtilise')).toEqual({ '/1/nouveau': 'used' });
    expect(answer.json.errors[0].detail).toContain('"A" → "B"');
    // Two employees would become one.
    const two = await rename(pairs(['A', 'X'], ['B', 'X']));
    expect(expectProblem(two, 409, 'Employe.IdExterneDejaUtilise')).toEqual({ '/1/nouveau': 'used' });
    const kept = await rename(pairs(['A', 'A'], ['B', 'A']));
    expect(expectProblem(kept, 409, 'Employe.IdExterneDejaUtilise')).toEqual({ '/1/nouveau': 'used' });
    expect(await names()).toEqual({ A: 'A', B: 'B', C: 'C', D: 'D' });
  });

  it('unknown and repeated identifiers, wrong records; nothing is written', async () => {
    await employees('A', 'B');
    await one('B', 'C');
    const unknown = await rename(pairs(['A', 'X'], ['NONE', 'Y'], ['B', 'Z']));
    expect(expectProblem(unknown, 404, 'Employe.NotFound')).toEqual({
      ...{ '/1/ancien': 'unknown', '/2/ancien': 'unknown' },
    });
    expect(unknown.json.errors[1].detail).toContain('"C"');
    expectFaults(await rename(pairs(['A', 'X'], ['A', 'Y'])), '/1/ancien repeated');
    expectFaults(
      await rename([{ ancien: 'A' }, 7, { ancien: 'A', nouveau: 'B', x: 1 }]),
      '/0/nouveau required, /1 type, /2/x unknown',
    );
    expect(await names()).toMatchObject({ A: 'A' });
    expect((await rename([])).json).toEqual({ nombreModifies: 0 });
  });

  it('more than 50,000 pairs are renamed by a task only', async () => {
    const long = many(50_001, (n) => ({ ancien: `N-${n}`, nouveau: `P-${n}` }));
    expectProblem(await rename(long), 413, 'Requete.TropVolumineuse', 'Prefer: respond-async');
    expect((await rename(long, '', { Prefer: 'respond-async' })).status).toBe(202);
    expectProblem(await rename(long.slice(1)), 404, 'Employe.NotFound');
  });

  it('a task has its own time limits, and dates the employees at its end', async () => {
    await employees('A', 'B');
    const { tenantId } = partner.tenant;
    const transactions = app.app.get(Transactions);
    const limits = (): Promise<string> =>
      transactions.value(
        `SELECT current_setting('transaction_timeout') || ' ' || current_setting('statement_timeout')`,
      );
    let during = '';
    await rival.query('BEGIN');
    await rival.query('SELECT FROM membership WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
    const swap = [
      { ancien: 'A', nouveau: 'B' },
      { ancien: 'B', nouveau: 'A' },
    ];
    const renaming = app.app
      .get(IdentifiantsService)
      .rename(tenantId, TEST_ACTOR, swap, false, async () => void (during = await limits()));
    await lockWaits(app.database);
    const from = (await feed()).length;
    const { rows } = await rival.query<{ now: string }>(
      `SELECT clock_timestamp()::timestamptz(3)::text AS now`,
    );
    await rival.query('ROLLBACK');
    await renaming;
    expect(during).toBe('9min 4min');
    expect(await transactions.run({ tenantId }, limits)).toBe('110s 30s');
    const later = await app.database.query(
      'SELECT FROM employe WHERE tenant_id = $1 AND derniere_maj >= $2',
      [tenantId, rows[0]!.now],
    );
    expect(later.rowCount).toBe(2);
    expect((await feed()).length - from).toBe(2);
  });

  it('respond-async renames in a task; a failed one has the error; syncs after it wait', async () => {
    await employees('A', 'B');
    const headers = { Prefer: 'respond-async' };
    const [done, refused, simulated] = [
      await rename(pairs(['A', 'B'], ['B', 'A']), '', headers),
      await rename(pairs(['A', 'B']), '', headers),
      await rename(pairs(['A', 'Z']), '?simulation=true', headers),
    ];
    const sync = await partner.sync({ Employes: [employee('A', { Ville: 'Laval' })] }, '', headers);
    expect([done.status, done.json.type, done.headers.get('location')]).toEqual([
      ...[202, 'nouveauxIdentifiants', `/b2b/v2/tache/${done.json.id}`],
    ]);
    const worker = await startWorker(app.config);
    try {
      const ended = (task: Answer): Promise<Loose> =>
        eventually(async () => {
          const json = (await partner.get(`/b2b/v2/tache/${task.json.id}`)) as Loose;
          return ['Reussie', 'Echouee'].includes(json.etat as string) ? json : undefined;
        }, 'the end of a task');
      expect(await ended(done)).toMatchObject({
        etat: 'Reussie',
        traites: 2,
        resultat: { nombreModifies: 2 },
      });
      expect(await ended(refused)).toMatchObject({ erreur: { code: 'Employe.IdExterneDejaUtilise' } });
      expect(await ended(simulated)).toMatchObject({ resultat: { nombreModifies: 1 } });
      expect(await ended(sync)).toMatchObject({ etat: 'Reussie' });
    } finally {
      await worker.close();
    }
    expect((await read('A')).json).toMatchObject({ ville: 'Laval', emplois: [{ matricule: 'B' }] });
  });
});

describe('References to a renamed employee', () => {
  it('cards, requests, consents, rolls and their criteria follow; the person votes once', async () => {
    const space = await Space.make(app);
    const { one: who } = space;
    await space.fill();
    const { campaigns } = space.votes;
    const vote = await space.votes.opened(1);
    await campaigns.sent('POST', `/${vote.id}/liste-electorale`, { EmployesIdExternes: [who.idExterne] });
    const [voter] = await campaigns.rows<{ id: string }>(
      'SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND employe_id_externe IS NOT NULL',
      vote.id,
    );
    const open = { ...vote, voters: [voter!.id] };
    await space.votes.voted(open, 0);
    const path = (id: string) => encodeURIComponent(id);
    const shown = async (id: string): Promise<string> => {
      const parts = [
        await space.partner('GET', `/b2b/v2/adhesion?idExterneEmploye=${path(id)}`),
        await space.partner('GET', `/b2b/v1/consentement`),
        await space.partner('GET', `/b2b/v1/campagnes/${vote.id}/votants`),
        await space.partner('GET', `/b2b/v1/campagnes/${vote.id}/liste-electorale`),
        await space.partner('GET', `/b2b/v1/campagnes/${vote.id}/liste-electorale/ecarts`),
        await space.partner('GET', '/b2b/v2/conciliation?statut=Rejetee'),
      ];
      return parts.map(({ text }) => text).join('\n');
    };
    const before = await shown(who.idExterne);
    const { json, status } = await space.partner(
      'POST',
      `/b2b/v2/employe/${path(who.idExterne)}/nouvel-identifiant`,
      {
        idExterne: 'NEUF',
      },
    );
    expect([status, json.idExterne]).toEqual([200, 'NEUF']);
    const digest = /"empreinte":"[^"]*"/g;
    expect((await shown('NEUF')).replace(digest, '')).toBe(
      before.replaceAll(`"${who.idExterne}"`, '"NEUF"').replace(digest, ''),
    );
    const again = await space.votes.cast(vote.id, ballot(open, 0, 1));
    expectProblem(again, 409, 'Vote.DejaVote');
    // The list adds the person no second time.
    const added = await campaigns.sent('POST', `/${vote.id}/liste-electorale`, {
      EmployesIdExternes: ['NEUF'],
    });
    expect(added.json).toMatchObject({ NombreAjoutes: 0, NombreDejaPresents: 1 });
  });

  it('export and erasure follow former identifiers, and leave no trace of them', async () => {
    const space = await Space.make(app);
    const { one: who, other } = space;
    const id = await space.fill();
    await space.votes.campaigns.sent('POST', `/${id}/fermer`);
    const path = encodeURIComponent(who.idExterne);
    const neuf = `NEUF-${randomUUID()}`;
    await space.done(
      space.partner('POST', `/b2b/v2/employe/${path}/nouvel-identifiant`, { idExterne: neuf }),
    );
    const answer = await space.read({ ...who, idExterne: neuf } as typeof who);
    const exported = answer.json;
    expect(exported.anciensIdentifiants).toHaveLength(3);
    expect(exported.changements.map((one: Loose) => one.idExterne)).toContain(who.idExterne);
    expect(exported.changementsDePlans).not.toEqual([]);
    // The former identifier leads to the person.
    const byFormer = (await space.read(who)).json;
    expect(Object.keys(byFormer)).toEqual(Object.keys(exported));
    expect(byFormer.employe).toEqual(exported.employe);
    expect((await space.erase(who)).status).toBe(204);
    const dumped = await dump(app);
    const kept = ['journal', 'consentement_demande', 'courriel_destinataire'];
    for (const table of kept) dumped.delete(table);
    expect(tracesOf([who.idExterne, neuf], dumped)).toEqual([]);
    expect((await space.read(other)).status).toBe(200);
  });

  it('the note of a deleted employee is found by its former identifier', async () => {
    const space = await Space.make(app);
    const { one: who } = space;
    const id = await space.fill();
    const path = encodeURIComponent(who.idExterne);
    await space.done(
      space.partner('POST', `/b2b/v2/employe/${path}/nouvel-identifiant`, { idExterne: 'NEUF' }),
    );
    await app.database.query('DELETE FROM paiement; DELETE FROM autorisation_paiement');
    await app.database.query('UPDATE adhesion SET avec_paiement = false');
    await space.votes.campaigns.sent('POST', `/${id}/fermer`);
    await space.done(space.partner('DELETE', '/b2b/v2/adhesion/membre/NEUF'));
    await space.remove({ idExterne: 'NEUF' });
    expect((await space.read(who)).json).toMatchObject({
      anciensEmployes: [{ idExterne: 'NEUF' }],
      employe: [],
    });
    expect((await space.erase(who)).status).toBe(204);
    expect((await space.read(who)).status).toBe(404);
  });
});

describe('A plan drawn before a swap', () => {
  const plan = () =>
    partner.send('POST', '/b2b/v2/plan', {
      Employes: [
        employee('A', { Prenom: 'Un', Courriel: 'un@example.org', Ville: 'Laval' }),
        employee('B', { Prenom: 'Deux', Courriel: 'deux@example.org', Ville: 'Laval' }),
      ],
    });
  const path = (id: string): string =>
    `/admin/v1/clients/${partner.tenant.clientId}/environnements/staging/employes/${id}`;

  it('the export of one has nothing of the other', async () => {
    await partner.sync({ Employes: [employee('A', { Prenom: 'Un' }), employee('B', { Prenom: 'Deux' })] });
    await plan();
    await rename(pairs(['A', 'B'], ['B', 'A']));
    const { text } = await app.send(app.adminKey, 'GET', path('B'));
    expect([text.includes('un@example.org'), text.includes('deux@example.org')]).toEqual([true, false]);
  });

  it('the erasure of one removes its changes', async () => {
    await partner.sync({ Employes: [employee('A', { Prenom: 'Un' }), employee('B', { Prenom: 'Deux' })] });
    await partner.send('POST', '/b2b/v2/plan', { Employes: [employee('A', { Courriel: 'un@example.org' })] });
    await rename(pairs(['A', 'B'], ['B', 'A']));
    expect((await app.send(app.adminKey, 'DELETE', path('B'))).status).toBe(204);
    const { rows } = await app.database.query<{ champs: string }>(
      'SELECT champs::text FROM plan_changement WHERE tenant_id = $1',
      [partner.tenant.tenantId],
    );
    expect(JSON.stringify(rows)).not.toContain('un@example.org');
  });
});

describe('Columns that name an employee', () => {
  /** Columns of the schema that are a reference to the identifier, or have a name of one; and those in unique keys. */
  const COLUMNS = `
    SELECT c.relname || '.' || a.attname AS name,
      EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum = ANY (i.indkey)) AS is_unique,
      EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey)
        AND f.confrelid = 'employe'::regclass) AS is_reference
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
      AND a.atttypid IN ('text'::regtype, 'text[]'::regtype) AND (
        a.attname ~ 'employe(?!ur)' OR c.relname ~ '^(employe|ancien_.*|changement|plan_changement)$' AND a.attname ~ 'id_externe'
        OR EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey)
          AND f.confrelid = 'employe'::regclass))
    ORDER BY 1`;
  const columns = async () =>
    (await app.database.query<{ name: string; is_unique: boolean; is_reference: boolean }>(COLUMNS)).rows;
  const rules = Object.assign({}, ...PERSONAL_DATA.map(({ identifiers }) => identifiers ?? {})) as Record<
    string,
    { before?: string; check?: string; kept?: string; joined?: string | object }
  >;
  /** Columns with the service's id of an employee. */
  const IDS = `
    SELECT c.relname || '.' || a.attname AS name FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = 'uuid'::regtype
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
      AND (a.attname ~ '^employe_id' OR a.attname <> 'tenant_id' AND EXISTS (SELECT FROM pg_constraint f
        WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey) AND f.confrelid = 'employe'::regclass))
    ORDER BY 1`;
  const merged = PERSONAL_DATA.flatMap(({ mergedIds }) => Object.keys(mergedIds ?? {}));
  /** Columns whose rule is missing or of another kind than the schema needs, and rules without a column. */
  async function faults(): Promise<string[]> {
    const found = await columns();
    return [
      ...found.filter(({ name }) => !(name in rules)).map(({ name }) => `${name} has no rule`),
      ...Object.keys(rules).filter((name) => !found.some((column) => column.name === name)),
      ...found.flatMap(({ name, is_unique, is_reference }) => {
        const rule = rules[name];
        if (!rule) return [];
        if (rule.kept !== undefined) return is_reference ? [`${name} is a reference`] : [];
        const wrong =
          !!rule.before !== is_unique || !!rule.check !== is_reference || (is_unique && !rule.joined);
        return wrong ? [`${name} has another rule`] : [];
      }),
      ...(await app.database.query<{ name: string }>(IDS)).rows
        .filter(({ name }) => !merged.includes(name))
        .map(({ name }) => `${name} does not follow a merge`),
    ];
  }

  it('each has a rule for a renaming and a merge', async () => {
    expect(await faults()).toEqual([]);
  });

  it.each([
    [
      'a reference',
      `ALTER TABLE paiement ADD COLUMN qui text COLLATE "C", ADD CONSTRAINT qui_fkey FOREIGN KEY (tenant_id, qui) REFERENCES employe (tenant_id, id_externe)`,
      ['paiement.qui has no rule'],
    ],
    [
      'a name',
      'CREATE TABLE neuve (tenant_id uuid, id_externe_employe text)',
      ['neuve.id_externe_employe has no rule'],
    ],
    [
      'a unique key',
      'CREATE UNIQUE INDEX ON adhesion (tenant_id, id_externe_employe, id_unique)',
      ['adhesion.id_externe_employe has another rule'],
    ],
    [
      'the service’s id',
      'ALTER TABLE paiement ADD COLUMN employe_id uuid',
      ['paiement.employe_id does not follow a merge'],
    ],
  ])('a new column with %s fails it', async (_what, statement, expected) => {
    await app.database.query('BEGIN');
    try {
      await app.database.query(statement);
      expect(await faults()).toEqual(expected);
    } finally {
      await app.database.query('ROLLBACK');
    }
  });
});

describe('Concurrent requests', () => {
  it('two renamings and creations of the same identifiers at once: each identifier has one person', async () => {
    for (let round = 0; round < 5; round++) {
      const ids = many(6, (n) => `R${round}-${n}`);
      await employees(...ids);
      const turned = (by: number) =>
        ids.map((ancien, n) => ({ ancien, nouveau: ids[(n + by) % ids.length] }));
      const answers = await Promise.all([
        rename(turned(1)),
        rename(turned(2)),
        one(ids[0]!, `N-${round}`),
        partner.send('POST', '/b2b/v1/employe', { idExterne: `N-${round}`, prenom: 'X', nom: 'Y' }),
        partner.sync({ Employes: [employee(ids[1]!, { Prenom: ids[1], Ville: 'Laval' })] }),
      ]);
      for (const { status } of answers) expect([200, 201, 404, 409]).toContain(status);
      // One of the two has N, and no employee is lost.
      const list = (await partner.get('/b2b/v2/employe')) as Loose[];
      const known = list.filter(({ idExterne }) => String(idExterne).includes(`${round}`)).length;
      expect(known).toBeGreaterThanOrEqual(ids.length);
      expect(new Set(list.map(({ idUnique }) => idUnique)).size).toBe(list.length);
    }
  });

  it('a sync waits for a renaming, and finds the employee by its new identifier', async () => {
    await employees('A');
    await rival.query('BEGIN');
    await rival.query(`SELECT FROM emploi WHERE tenant_id = $1 FOR UPDATE`, [partner.tenant.tenantId]);
    const renaming = one('A', 'B');
    await lockWaits(app.database);
    const sync = partner.sync({ Employes: [employee('B', { Prenom: 'A', Ville: 'Laval' })] });
    await lockWaits(app.database, 2);
    await rival.query('ROLLBACK');
    expect((await renaming).status).toBe(200);
    expect((await sync).json.Employes).toEqual({ AddCount: 0, UpdateCount: 1, Erreurs: [] });
    expect((await read('B')).json).toMatchObject({ ville: 'Laval', emplois: [{ matricule: 'A' }] });
  });

  it('a failure in the middle leaves nothing half done', async () => {
    await employees('A', 'B');
    const from = (await feed()).length;
    const rule =
      'CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION $m$no$m$; END $$';
    await app.database.query(rule);
    await app.database.query(
      'CREATE TRIGGER fail BEFORE UPDATE ON membership FOR EACH ROW EXECUTE FUNCTION fail()',
    );
    try {
      expect((await rename(pairs(['A', 'B'], ['B', 'A']))).status).toBe(500);
    } finally {
      await app.database.query('DROP TRIGGER fail ON membership; DROP FUNCTION fail()');
    }
    expect(await names()).toEqual({ A: 'A', B: 'B' });
    expect(await feed()).toHaveLength(from);
    expect((await rename(pairs(['A', 'B'], ['B', 'A']))).status).toBe(200);
  });

  it('a connection that dies in the middle leaves nothing half done', async () => {
    await employees('A', 'B');
    await rival.query('BEGIN');
    await rival.query('SELECT FROM membership WHERE tenant_id = $1 FOR UPDATE', [partner.tenant.tenantId]);
    const renaming = rename(pairs(['A', 'B'], ['B', 'A']));
    const [pid] = await lockWaits(app.database);
    await app.database.query('SELECT pg_terminate_backend($1)', [pid]);
    expect((await renaming).status).toBeGreaterThanOrEqual(500);
    await rival.query('ROLLBACK');
    expect(await names()).toEqual({ A: 'A', B: 'B' });
  });

  it('a reference that a context forgets fails the renaming (control)', async () => {
    await employees('A');
    const repository = app.app.get(PersonalDataRepository);
    const run = repository['run'].bind(repository);
    jest
      .spyOn(repository as unknown as { run: typeof run }, 'run')
      .mockImplementation((sql, values) =>
        sql.startsWith('UPDATE emploi') ? Promise.resolve([]) : run(sql, values),
      );
    expect((await one('A', 'B')).status).toBeGreaterThanOrEqual(500);
    expect(await names()).toEqual({ A: 'A' });
  });

  it('former identifiers are purged after 400 days', async () => {
    await employees('A', 'C');
    await one('A', 'B');
    await one('C', 'D');
    await app.database.query(
      `UPDATE ancien_identifiant SET date_creation = now() - interval '401 days' WHERE tenant_id = $1 AND id_externe = 'A'`,
      [partner.tenant.tenantId],
    );
    const worker = await startWorker(app.config);
    try {
      await eventually(async () => !(await read('A')).json.detail.includes('"B"') || undefined, 'the purge');
      expectProblem(await read('C'), 404, 'Employe.NotFound', '"D"');
    } finally {
      await worker.close();
    }
  });
});
