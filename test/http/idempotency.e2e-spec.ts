import { createHash, randomUUID } from 'node:crypto';
import { ClientsService } from '../../libs/clients/src';
import { EmployesService } from '../../libs/membership/src/application/employes.service';
import type { ModuleName } from '../../libs/access/src/caller';
import { SecretBox } from '../../libs/platform/src/ops/secret-box';
import { BUDGETS } from '../../libs/platform/src/limits/budgets';
import { IdempotencyRecords } from '../../libs/platform/src/database/idempotency-records';
import { NO_TENANT } from '../../libs/platform/src/database/scope';
import { TEST_ACTOR } from '../setup/actor';
import { type Answer, TestApp } from '../setup/test-app';
import { expectFaults, expectProblem } from './expect-problem';
import { perFile, perTest } from '../setup/fixtures';

const EMPLOYE = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
const PATH = '/b2b/v1/employe';

const app = perFile(() => TestApp.start());
const tenant = perTest(() => app.tenant());
let key: string;

beforeEach(async () => {
  key = randomUUID();
});
afterEach(() => jest.restoreAllMocks());

const post = (body: unknown = EMPLOYE, path = PATH, caller: { cle: string } | string = tenant) =>
  app.send(caller, 'POST', path, body, { 'Idempotency-Key': key });

async function count(table: string): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM ${table} WHERE tenant_id = $1`;
  return (await app.database.query<{ count: number }>(text, [tenant.tenantId])).rows[0]!.count;
}

function shape({ status, text, headers }: Answer): unknown {
  const named = ['content-type', 'location', 'etag', 'cache-control'].map((name) => headers.get(name));
  return { status, text, named };
}

function expectReplay(answer: Answer, first: Answer): void {
  expect(shape(answer)).toEqual(shape(first));
  expect(answer.headers.get('idempotent-replayed')).toBe('true');
  expect(first.headers.get('idempotent-replayed')).toBeNull();
}

describe('Idempotency-Key', () => {
  it('replays the first response: status, body, Location, ETag', async () => {
    const first = await post();
    expect(first.status).toBe(201);
    expect(first.headers.get('location')).toBe('/b2b/v1/employe/E-1');
    expectReplay(await post(), first);
    // Also after the created record was changed or deleted.
    await app.send(tenant, 'DELETE', `${PATH}/E-1`);
    expectReplay(await post(), first);
    expect(await count('employe')).toBe(0);
  });

  it('simultaneous replays do not wait for each other', async () => {
    const first = await post();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post()));
    for (const answer of answers) expectReplay(answer, first);
  });

  it('the response is the one without the header', async () => {
    const [one, two] = [await post(), await app.send(tenant, 'POST', PATH, { ...EMPLOYE, idExterne: 'E-2' })];
    expect([one.status, [...one.headers.keys()]]).toEqual([two.status, [...two.headers.keys()]]);
    expect(Object.keys(one.json)).toEqual(Object.keys(two.json));
  });

  it('replays a sync, which runs once', async () => {
    const body = { employes: [EMPLOYE, { idExterne: 'E-2' }] };
    const first = await post(body, `${PATH}/sync`);
    expect(first.json).toMatchObject({ created: 1, updated: 0 });
    expectReplay(await post(body, `${PATH}/sync`), first);
  });

  it.each([
    ['another body', { ...EMPLOYE, prenom: 'Ève' }, PATH],
    ['the same body in other bytes', JSON.stringify(EMPLOYE, null, 1), PATH],
    ['another path', { ...EMPLOYE }, '/b2b/v1/employeur'],
  ])('422 Idempotence.CleReutilisee with %s', async (_what, body, path) => {
    await post();
    expectProblem(await post(body, path), 422, 'Idempotence.CleReutilisee');
    expect([await count('employe'), await count('employeur')]).toEqual([1, 0]);
  });

  it('replays a long answer, which is recorded in parts, until one of them is gone', async () => {
    const employes = Array.from({ length: 20_000 }, (_, n) => ({ idExterne: `É-${n}-`.padEnd(100, 'é') }));
    const sync = () => post({ employes }, `${PATH}/sync`);
    const first = await sync();
    expect(first.text.length).toBeGreaterThan(2 ** 20);
    expect(first.text).toBe(JSON.stringify(first.json));
    expect(first.json.errors).toHaveLength(20_000);
    expectReplay(await sync(), first);
    const { rows } = await app.database.query<{ bytes: number }>(
      'SELECT octet_length(sealed_body) AS bytes FROM idempotency_record WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(rows.length).toBeGreaterThan(8);
    expect(Math.max(...rows.map(({ bytes }) => bytes))).toBeLessThan(2 ** 20);
    jest.spyOn(IdempotencyRecords.prototype, 'part').mockImplementationOnce(async () => undefined);
    expectProblem(await sync(), 500, 'Service.ErreurInterne');
    jest.restoreAllMocks();
    const { part } = IdempotencyRecords.prototype;
    let asked = 0;
    jest.spyOn(IdempotencyRecords.prototype, 'part').mockImplementation(async function (
      this: unknown,
      ...key
    ) {
      return ++asked > 6 ? undefined : part.apply(this as IdempotencyRecords, key);
    });
    await expect(sync()).rejects.toThrow();
  });

  it('429 once the long answers of 24 hours have used up their budget; nothing is written, and without a key it is done', async () => {
    const usual = { ...BUDGETS };
    const sync = (idExterne: string) => ({
      Employes: [
        { IdExterne: idExterne, Prenom: 'Zoé', Nom: 'Roy' },
        ...Array.from({ length: 6_000 }, (_, n) => ({ IdExterne: `${n}`.padEnd(80, 'x'), Prenom: 'Zoé' })),
      ],
    });
    try {
      const first = await post(sync('E-1'), '/b2b/v2/sync');
      expect(first.status).toBe(200);
      Object.assign(BUDGETS, { storedBytes: 1.5 * first.text.length });
      const former = key;
      key = randomUUID();
      const refused = await post(sync('E-2'), '/b2b/v2/sync');
      expectProblem(refused, 429, 'Debit.Depasse');
      expect(refused.json.detail).toContain('recorded answers');
      expect([await count('employe'), refused.headers.get('retry-after')]).toEqual([1, '3600']);
      // Short answers, other data spaces and requests without a key go on.
      expect((await post({ ...EMPLOYE, idExterne: 'E-3' })).status).toBe(201);
      key = randomUUID();
      expect((await post(sync('E-2'), '/b2b/v2/sync', await app.tenant())).status).toBe(200);
      expect((await app.send(tenant, 'POST', '/b2b/v2/sync', sync('E-2'))).status).toBe(200);
      key = former;
      expectReplay(await post(sync('E-1'), '/b2b/v2/sync'), first);
      // They expire.
      await app.database.query(`UPDATE idempotency_record SET date_creation = now() - interval '25 hours'`);
      key = randomUUID();
      expect((await post(sync('E-4'), '/b2b/v2/sync')).status).toBe(200);
    } finally {
      Object.assign(BUDGETS, usual);
    }
  });

  it('422 Idempotence.CleReutilisee with another query: a simulation is not the sync', async () => {
    await post({ employes: [EMPLOYE] }, `${PATH}/sync?simulation=true`);
    expectProblem(await post({ employes: [EMPLOYE] }, `${PATH}/sync`), 422, 'Idempotence.CleReutilisee');
    expect(await count('employe')).toBe(0);
  });

  it('replays a rejection by a domain rule, even if the rule would now accept the request', async () => {
    const sent = { ...EMPLOYE, identifiantExterneEmployeur: 'EMP-1' };
    const refused = await post(sent);
    expectProblem(refused, 400, 'Employe.EmployeurInconnu');
    await app.send(tenant, 'POST', '/b2b/v1/employeur', { idExterne: 'EMP-1', nom: 'Aciérie' });
    expectReplay(await post(sent), refused);
    key = randomUUID();
    expect((await post(sent)).status).toBe(201);
    key = randomUUID();
    const conflict = await post();
    expectProblem(conflict, 409, 'Employe.IdExterneDejaUtilise');
    expectReplay(await post(), conflict);
  });

  it('a malformed request is not recorded: its corrected form is accepted with the same key', async () => {
    expectFaults(await post({ ...EMPLOYE, nom: '' }), { '/nom': 'required' });
    expectFaults(await post('{"idExterne":'), { '': 'json' });
    expectProblem(await post({ ...EMPLOYE, ville: 'x'.repeat(2 ** 20) }), 413, 'Requete.TropVolumineuse');
    expect(await count('idempotency_record')).toBe(0);
    expect((await post()).status).toBe(201);
  });

  it('belongs to a tenant: another one may use the same key', async () => {
    const other = await app.tenant();
    const [mine, theirs] = [await post(), await post({ ...EMPLOYE, prenom: 'Ève' }, PATH, other)];
    expect([mine.status, theirs.status, theirs.json.prenom]).toEqual([201, 201, 'Ève']);
    expectReplay(await post(), mine);
    expectReplay(await post({ ...EMPLOYE, prenom: 'Ève' }, PATH, other), theirs);
  });

  it('is ignored on methods that are idempotent by themselves', async () => {
    await post();
    const headers = { 'Idempotency-Key': key };
    expect((await app.send(tenant, 'PUT', PATH, { ...EMPLOYE, prenom: 'Ève' }, headers)).json.prenom).toBe(
      'Ève',
    );
    expect((await app.send(tenant, 'GET', `${PATH}/E-1`, undefined, headers)).json.prenom).toBe('Ève');
    expect((await app.send(tenant, 'DELETE', `${PATH}/E-1`, undefined, headers)).status).toBe(204);
  });

  it('has 1 to 255 printable ASCII characters, else 400', async () => {
    key = 'k'.repeat(255);
    expect((await post()).status).toBe(201);
    key = 'k'.repeat(256);
    expectFaults(await post(), { 'Idempotency-Key': 'header' });
    key = '';
    expectFaults(await post(), { 'Idempotency-Key': 'header' });
    // fetch sends header values as bytes: an emoji's four, as a client that writes UTF-8 does.
    key = Buffer.from('🙂').toString('latin1');
    expectFaults(await post(), { 'Idempotency-Key': 'header' });
  });

  it('is free again after 24 hours, before and after the purge', async () => {
    await post();
    const age = (hours: string) =>
      app.database.query(
        'UPDATE idempotency_record SET date_creation = now() - $2::interval WHERE tenant_id = $1',
        [tenant.tenantId, hours],
      );
    await age('23 hours 59 minutes');
    expect((await post()).headers.get('idempotent-replayed')).toBe('true');
    await age('24 hours 1 second');
    const again = await post({ ...EMPLOYE, idExterne: 'E-2' });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expectReplay(await post({ ...EMPLOYE, idExterne: 'E-2' }), again);
    expect(await count('idempotency_record')).toBe(1);
  });
});

describe('Idempotency-Key, the record and the effect', () => {
  it('neither exists if the handler fails after writing; the repeated request does the work', async () => {
    const service = app.app.get(EmployesService, { strict: false });
    const create = service.create.bind(service);
    jest.spyOn(service, 'create').mockImplementationOnce(async (tenantId, actor, record) => {
      await create(tenantId, actor, record);
      throw new Error('after the insert');
    });
    expectProblem(await post(), 500, 'Service.ErreurInterne');
    expect([await count('employe'), await count('idempotency_record')]).toEqual([0, 0]);
    const repeated = await post();
    expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect([await count('employe'), await count('idempotency_record')]).toEqual([1, 1]);
  });

  it('neither exists if the record cannot be written', async () => {
    jest.spyOn(app.app.get(IdempotencyRecords), 'add').mockRejectedValueOnce(new Error('no record'));
    expectProblem(await post(), 500, 'Service.ErreurInterne');
    expect([await count('employe'), await count('idempotency_record')]).toEqual([0, 0]);
  });

  it('negative control: without the header, the same failure after writing leaves the effect', async () => {
    const service = app.app.get(EmployesService, { strict: false });
    const create = service.create.bind(service);
    jest.spyOn(service, 'create').mockImplementationOnce(async (tenantId, actor, record) => {
      await create(tenantId, actor, record);
      throw new Error('after the insert');
    });
    expectProblem(await app.send(tenant, 'POST', PATH, EMPLOYE), 500, 'Service.ErreurInterne');
    expect(await count('employe')).toBe(1);
  });

  it('a rejection rolls back all previous writes', async () => {
    const service = app.app.get(EmployesService, { strict: false });
    const create = service.create.bind(service);
    jest.spyOn(service, 'create').mockImplementationOnce(async (tenantId, actor, record) => {
      await create(tenantId, actor, record);
      return create(tenantId, actor, record);
    });
    expectProblem(await post(), 409, 'Employe.IdExterneDejaUtilise');
    expect([await count('employe'), await count('idempotency_record')]).toEqual([0, 1]);
  });
});

describe('Idempotency-Key under another API key', () => {
  /** Issues another key of the same tenant. */
  const further = (modules: ModuleName[] | null = null) =>
    app.app.get(ClientsService).issueCle(TEST_ACTOR, tenant.clientId, {
      nom: 'Paie',
      environnement: 'staging',
      role: 'partenaire',
      modules,
    });
  const webhook = { url: 'http://hooks.test/mandat', types: ['adhesion.signee'] };

  it('422 Idempotence.CleReutilisee for the same request, which does not run again', async () => {
    const first = await post();
    expectProblem(await post(EMPLOYE, PATH, await further()), 422, 'Idempotence.CleReutilisee');
    expect(await count('employe')).toBe(1);
    // The record still belongs to the first key.
    expectReplay(await post(), first);
  });

  it('a key without the module of cards gets no response about a webhook for cards', async () => {
    const first = await post(webhook, '/b2b/v2/webhook');
    expect(first.status).toBe(201);
    const answer = await post(webhook, '/b2b/v2/webhook', await further(['vote']));
    for (const part of [first.json.secret, first.json.id, webhook.url])
      expect(answer.text).not.toContain(part);
    expectProblem(answer, 422, 'Idempotence.CleReutilisee');
  });

  it('the response is the same whether or not its request equals that of the first key', async () => {
    await post();
    const other = await further();
    const answers = [
      await post(EMPLOYE, PATH, other),
      await post({ ...EMPLOYE, prenom: 'Ève' }, PATH, other),
    ];
    const [guessed, missed] = answers.map(({ status, json }) => ({
      ...json,
      status,
      traceId: '',
      instance: '',
    }));
    expect(guessed).toEqual(missed);
  });

  it('a key that lost a module gets no recorded response', async () => {
    const first = await post(webhook, '/b2b/v2/webhook');
    await app.database.query(`UPDATE client SET modules = '{vote}' WHERE id = $1`, [tenant.clientId]);
    let last = first;
    // Keys are cached for up to five seconds after a change; until then the record belongs to the key.
    for (let attempt = 0; last.status !== 422 && attempt < 150; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      last = await post(webhook, '/b2b/v2/webhook');
    }
    expectProblem(last, 422, 'Idempotence.CleReutilisee');
  });

  it('administrators: another key neither gets the recorded response, nor a second issued key', async () => {
    const { cle } = await app.app.get(ClientsService).issueAdminCle('Autre');
    const path = `/admin/v1/clients/${tenant.clientId}/cles`;
    const body = { nom: 'Paie', environnement: 'staging', role: 'partenaire' };
    expect((await post(body, path, app.adminKey)).status).toBe(201);
    expectProblem(await post(body, path, cle), 422, 'Idempotence.CleReutilisee');
    expect(await app.app.get(ClientsService).listCles(tenant.clientId)).toHaveLength(2);
  });

  it('a record of the previous release, without a key, is replayed to no key', async () => {
    const sent = JSON.stringify(EMPLOYE);
    expect((await post(sent)).status).toBe(201);
    const before = createHash('sha256').update(`POST ${PATH}\n`).update(sent).digest();
    await app.database.query('UPDATE idempotency_record SET fingerprint = $2 WHERE idempotency_key = $1', [
      key,
      before,
    ]);
    expectProblem(await post(sent), 422, 'Idempotence.CleReutilisee');
    expect(await count('employe')).toBe(1);
  });
});

describe('Idempotency-Key on a POST whose response contains a secret', () => {
  const issue = { nom: 'Paie', environnement: 'staging', role: 'partenaire' };
  const issued = (body: object = issue) =>
    post(body, `/admin/v1/clients/${tenant.clientId}/cles`, app.adminKey);
  const cles = async () => (await app.app.get(ClientsService).listCles(tenant.clientId)).length;

  it('409 Idempotence.NonRepetable for a repetition, with an instruction; it runs once', async () => {
    const first = await issued();
    expect([first.status, first.json.cle]).toEqual([201, expect.stringMatching(/^mdt_stg_/)]);
    const again = await issued();
    expectProblem(again, 409, 'Idempotence.NonRepetable');
    expect(again.json.detail).toMatch(/list of keys.*revoke/);
    expect([again.headers.get('location'), again.headers.get('idempotent-replayed')]).toEqual([null, null]);
    expect(await cles()).toBe(2);
  });

  it('422 Idempotence.CleReutilisee for another body', async () => {
    await issued();
    expectProblem(await issued({ ...issue, nom: 'Autre' }), 422, 'Idempotence.CleReutilisee');
    expect(await cles()).toBe(2);
  });

  it('the record says that it ran, and contains no part of the response', async () => {
    const { json } = await issued();
    const { rows } = await app.database.query<{ status: number; headers: object; sealed_body: Buffer }>(
      'SELECT status, headers, sealed_body FROM idempotency_record WHERE tenant_id = $1 AND idempotency_key = $2',
      [NO_TENANT, key],
    );
    const [{ status, headers, sealed_body }] = rows as [(typeof rows)[0]];
    const box = new SecretBox(app.config.secretsKey);
    expect([status, headers, box.open(sealed_body, `idempotency ${NO_TENANT} ${key}`).toString()]).toEqual([
      201,
      {},
      '',
    ]);
    expect(json.cle).toBeDefined();
  });

  it('replays a rejection by a rule, which contains no secret', async () => {
    const path = `/admin/v1/clients/${randomUUID()}/cles`;
    const refused = await post(issue, path, app.adminKey);
    expectProblem(refused, 404, 'Client.NotFound');
    expectReplay(await post(issue, path, app.adminKey), refused);
  });

  it('ten at once create one key', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => issued()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer.json.cle).toBeUndefined();
    expect(await cles()).toBe(2);
  });

  it('negative control: without the lock on the Idempotency-Key, ten at once create several', async () => {
    jest.spyOn(app.app.get(IdempotencyRecords), 'lock').mockResolvedValue(true);
    await Promise.all(Array.from({ length: 10 }, () => issued()));
    expect(await cles()).toBeGreaterThan(2);
  });
});

describe('A recorded response at rest', () => {
  it('is unreadable in the table', async () => {
    const first = await post();
    const { rows } = await app.database.query<{ sealed_body: Buffer; whole: string }>(
      `SELECT sealed_body, idempotency_record::text AS whole FROM idempotency_record WHERE idempotency_key = $1`,
      [key],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.sealed_body.toString('latin1')).not.toContain(first.json.idUnique);
    expect(rows[0]!.whole).not.toContain(first.json.idUnique);
  });

  it('can be decrypted with its own Idempotency-Key only', async () => {
    await post();
    const stolen = randomUUID();
    await app.database.query(
      'UPDATE idempotency_record SET idempotency_key = $2 WHERE idempotency_key = $1',
      [key, stolen],
    );
    key = stolen;
    expectProblem(await post(), 500, 'Service.ErreurInterne');
  });
});
