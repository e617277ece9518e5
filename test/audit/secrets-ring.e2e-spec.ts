import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { KeyRing } from '../../libs/platform/src/ops/key-ring';
import { keyIdOf, SecretBox } from '../../libs/platform/src/ops/secret-box';
import { Child } from '../http/child-process';
import { expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import { TestApp, type TestTenant } from '../setup/test-app';
import { perTest } from '../setup/fixtures';
import { BARE, ring, runCli, settingsOf } from './support/rings';
import { Trail } from './support/trail';

const WEBHOOK = { url: 'http://127.0.0.1:9/', types: ['sync.terminee'] };

/** The service after restarts with other rings, on one database. */
class Service {
  private readonly apps: TestApp[] = [];

  get url(): string {
    return this.apps[0]!.config.databaseUrl;
  }

  /** A process with these keys. */
  async with(secretsKey: KeyRing): Promise<TestApp> {
    const databaseUrl = this.apps[0]?.config.databaseUrl;
    const app = await TestApp.start({ secretsKey, ...(databaseUrl ? { databaseUrl } : {}) });
    this.apps.push(app);
    return app;
  }

  async stop(): Promise<void> {
    for (const app of this.apps.splice(0)) await app.stop();
  }
}

const service = perTest(() => Promise.resolve(new Service()));
afterEach(() => service.stop());

const create = (app: TestApp, tenant: TestTenant, key: string) =>
  app.send(tenant, 'POST', '/b2b/v2/webhook', WEBHOOK, { 'Idempotency-Key': key });
const addEmployeur = (app: TestApp, tenant: TestTenant, idExterne: string, key: string = randomUUID()) =>
  app.send(tenant, 'POST', '/b2b/v1/employeur', { idExterne, nom: 'Usine' }, { 'Idempotency-Key': key });

const faultsWith = async (app: TestApp, tenant: TestTenant, keys: KeyRing): Promise<readonly string[]> =>
  (await new Trail(app, tenant).verifyWith(keys)).faults;

/** Returns the ids of the keys of every encrypted value of a data space. */
async function sealedWith({ database }: TestApp, { tenantId }: TestTenant): Promise<(string | null)[]> {
  const { rows } = await database.query<{ sealed: Buffer }>(
    `SELECT secret AS sealed FROM webhook WHERE tenant_id = $1
     UNION ALL SELECT secret_precedent FROM webhook WHERE tenant_id = $1 AND secret_precedent IS NOT NULL
     UNION ALL SELECT unnest(secrets_anciens) FROM webhook WHERE tenant_id = $1
     UNION ALL SELECT sealed_body FROM idempotency_record WHERE tenant_id = $1`,
    [tenantId],
  );
  return rows.map(({ sealed }) => keyIdOf(sealed));
}

describe('A ring of keys', () => {
  it('processes on both sides of each step of a change write one unbroken trail and read each other’s answers', async () => {
    const rings = [BARE, ring('k1', 'k2'), ring('k2', 'k1')];
    const apps: TestApp[] = [];
    for (const keys of rings) apps.push(await service.with(keys));
    const tenant = await apps[0]!.tenant();
    for (const [before, after] of [
      [0, 1],
      [1, 2],
    ] as const) {
      const keys = times(12, () => randomUUID());
      const sent = await Promise.all(
        keys.map((key, n) => addEmployeur(apps[n % 2 ? before : after]!, tenant, key, key)),
      );
      expect(sent.map(({ status }) => status)).toEqual(times(12, () => 201));
      for (const [n, key] of keys.entries()) {
        const again = await addEmployeur(apps[n % 2 ? after : before]!, tenant, key, key);
        expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
          201,
          sent[n]!.text,
          'true',
        ]);
      }
    }
    expect(await faultsWith(apps[2]!, tenant, ring('k2', 'k1'))).toEqual([]);
    const { rows } = await apps[0]!.database.query<{ cle: string | null; n: number }>(
      'SELECT cle_secrets AS cle, count(*)::int AS n FROM journal WHERE tenant_id = $1 GROUP BY 1 ORDER BY 1',
      [tenant.tenantId],
    );
    expect(rows).toEqual([
      { cle: 'k1', n: 12 },
      { cle: 'k2', n: 6 },
      { cle: null, n: 6 },
    ]);
  });

  it('503 for a write to a trail whose key is missing, and nothing is marked as broken', async () => {
    const [both, old] = [await service.with(ring('k2', 'k1')), await service.with(ring('k1'))];
    const tenant = await both.tenant();
    expect((await addEmployeur(both, tenant, 'E-1')).status).toBe(201);
    const answer = await old.send(tenant, 'POST', '/b2b/v1/employeur', { idExterne: 'E-2', nom: 'Usine' });
    expectProblem(answer, 503, 'Service.Indisponible');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await addEmployeur(both, tenant, 'E-2')).status).toBe(201);
    expect(await faultsWith(both, tenant, ring('k2'))).toEqual([]);
    expect(await faultsWith(both, tenant, ring('k1'))).toEqual([
      'the end of the chain needs the key k2, which SECRETS_KEY lacks',
      'entries 1 to 2 need the key k2, which SECRETS_KEY lacks',
    ]);
    // Negative control: a trail that the key of the process ends can be written.
    const own = await old.tenant();
    expect((await addEmployeur(old, own, 'E-1')).status).toBe(201);
  });

  it('an entry that names another key of the ring is reported', async () => {
    const app = await service.with(ring('k2', 'k1'));
    const tenant = await app.tenant();
    for (const id of ['A', 'B', 'C']) await addEmployeur(app, tenant, id);
    await app.database.query(`UPDATE journal SET cle_secrets = 'k1' WHERE tenant_id = $1 AND numero = 2`, [
      tenant.tenantId,
    ]);
    expect(await faultsWith(app, tenant, ring('k2', 'k1'))).toEqual([
      'entry 2 or its place is not what was written',
    ]);
  });
});

describe('npm run cli -- rechiffrer', () => {
  /** A data space with 3 secrets of endpoints, one of them a previous one, and 4 recorded answers. */
  async function filled(app: TestApp): Promise<TestTenant> {
    const tenant = await app.tenant();
    const { json } = await create(app, tenant, randomUUID());
    await create(app, tenant, randomUUID());
    expect((await app.send(tenant, 'POST', `/b2b/v2/webhook/${json.id}/secret/rotation`)).status).toBe(200);
    for (const id of ['A', 'B']) expect((await addEmployeur(app, tenant, id, id)).status).toBe(201);
    return tenant;
  }

  it('encrypts everything with the newest key, attests the trails, and frees the old key', async () => {
    const old = await service.with(BARE);
    const tenant = await filled(old);
    const app = await service.with(ring('k2', 'k1'));
    expect(await sealedWith(app, tenant)).toEqual(times(7, () => null));
    const run = await runCli(service.url, ring('k2', 'k1'), 'rechiffrer');
    expect(run.code).toBe(0);
    expect(run.errors).toMatch(/: 7 secrets encrypted again, 2 audit trails attested\.\n/);
    expect(run.errors).toMatch(/Nothing needs these keys any more, remove them from SECRETS_KEY: k1\.\n$/);
    expect(await sealedWith(app, tenant)).toEqual(times(7, () => 'k2'));

    // The old key is gone: answers are replayed, secrets sign, and the trail is proven and goes on.
    const fresh = await service.with(ring('k2'));
    expect((await addEmployeur(fresh, tenant, 'A', 'A')).headers.get('idempotent-replayed')).toBe('true');
    expect((await addEmployeur(fresh, tenant, 'C')).status).toBe(201);
    const trail = new Trail(fresh, tenant);
    expect((await trail.verify()).faults).toEqual([]);
    expect((await trail.rows()).map(({ action }) => action)).toEqual([
      ...['webhook.creer', 'webhook.creer', 'webhook.rotation', 'employeur.creer', 'employeur.creer'],
      ...['journal.attester', 'employeur.creer'],
    ]);
    const verified = await runCli(service.url, ring('k2'), 'verifier-journal');
    expect([verified.code, verified.errors]).toEqual([0, expect.stringContaining('are whole')]);

    // Once more changes nothing.
    const again = await runCli(service.url, ring('k2'), 'rechiffrer');
    expect([again.code, again.errors]).toEqual([
      0,
      expect.stringMatching(
        /: 0 secrets encrypted again, 0 audit trails attested\.\nThe key k2 encrypts all/,
      ),
    ]);

    // A second change attests the first attestation.
    const third = await runCli(service.url, ring('k3', 'k2'), 'rechiffrer');
    expect([third.code, await faultsWith(fresh, tenant, ring('k3'))]).toEqual([0, []]);
  }, 120_000);

  it('waits for a data space that is being moved', async () => {
    const app = await service.with(BARE);
    const tenant = await filled(app);
    // Two more replaced secrets of one endpoint.
    const [{ id }] = (await app.send(tenant, 'GET', '/b2b/v2/webhook')).json;
    const rotate = () => app.send(tenant, 'POST', `/b2b/v2/webhook/${id}/secret/rotation`);
    expect([(await rotate()).status, (await rotate()).status]).toEqual([200, 200]);
    await app.database.query(`SELECT nextval('espace_ferme_existe')`);
    await app.database.query(`INSERT INTO espace_ferme VALUES ($1, clock_timestamp() + interval '6 s')`, [
      tenant.tenantId,
    ]);
    const run = await runCli(service.url, ring('k2', 'k1'), 'rechiffrer');
    expect([run.code, run.errors]).toEqual([0, expect.stringContaining(': 9 secrets encrypted again')]);
    expect(await sealedWith(app, tenant)).toEqual(times(9, () => 'k2'));
  });

  it.each([
    ['changed', `UPDATE journal SET action = 'employe.creer' WHERE numero = 2 AND tenant_id = $1`],
    [
      'changed in its digest',
      `UPDATE journal SET empreinte = sha256('x') WHERE numero = 2 AND tenant_id = $1`,
    ],
    ['moved to another key', `UPDATE journal SET cle_secrets = 'k2' WHERE numero = 2 AND tenant_id = $1`],
    ['removed', `DELETE FROM journal WHERE numero = 2 AND tenant_id = $1`],
  ])('an attested entry that is %s is reported without the old key', async (_how, statement) => {
    const app = await service.with(ring('k1'));
    const tenant = await filled(app);
    expect((await runCli(service.url, ring('k2', 'k1'), 'rechiffrer')).code).toBe(0);
    expect(await faultsWith(app, tenant, ring('k2'))).toEqual([]);
    await app.database.query(statement, [tenant.tenantId]);
    expect(await faultsWith(app, tenant, ring('k2'))).toEqual(
      expect.arrayContaining(['entry 6 does not attest the entries before it']),
    );
  });

  it('a trail rewritten with the old key is reported once that key is gone', async () => {
    const app = await service.with(ring('k1'));
    const tenant = await filled(app);
    await runCli(service.url, ring('k2', 'k1'), 'rechiffrer');
    const trail = new Trail(app, tenant);
    await trail.forge(ring('k1'), (entries) => entries.slice(1, 4));
    await trail.sql(`UPDATE journal SET cle_secrets = 'k1' WHERE tenant_id = $1`, tenant.tenantId);
    await trail.sql(`UPDATE journal_tete SET cle_secrets = 'k1' WHERE tenant_id = $1`, tenant.tenantId);
    expect(await faultsWith(app, tenant, ring('k2'))).toEqual([
      'the end of the chain needs the key k1, which SECRETS_KEY lacks',
      'entries 1 to 3 need the key k1, which SECRETS_KEY lacks',
    ]);
    // Negative control: a writer with the old key can write a trail that passes while the ring has that key.
    expect(await faultsWith(app, tenant, ring('k2', 'k1'))).toEqual([]);
  });

  it('does not attest an altered trail, and says that the old key stays', async () => {
    const app = await service.with(ring('k1'));
    const tenant = await filled(app);
    await app.database.query('UPDATE journal SET objet_id = $1 WHERE tenant_id = $1 AND numero = 2', [
      tenant.tenantId,
    ]);
    const run = await runCli(service.url, ring('k2', 'k1'), 'rechiffrer');
    expect(run.code).toBe(1);
    expect(run.errors).toContain(`The audit trail ${tenant.tenantId} is not what was written`);
    expect(run.errors).not.toContain('Nothing needs');
    expect(await sealedWith(app, tenant)).toEqual(times(7, () => 'k2'));
    expect((await new Trail(app, tenant).rows()).map(({ action }) => action)).not.toContain(
      'journal.attester',
    );
  });

  it('names a missing key, with how many secrets need it, and ends with 1', async () => {
    const app = await service.with(ring('k1'));
    const tenant = await filled(app);
    const run = await runCli(service.url, ring('k3', 'k2'), 'rechiffrer');
    expect(run.code).toBe(1);
    expect(run.errors).toContain('7 secrets are still encrypted with the key k1, which SECRETS_KEY lacks.');
    expect(await sealedWith(app, tenant)).toEqual(times(7, () => 'k1'));
    expect(await faultsWith(app, tenant, ring('k1'))).toEqual([]);
    const verified = await runCli(service.url, ring('k3', 'k2'), 'verifier-journal');
    expect(verified.code).toBe(1);
    expect(verified.output).toContain('entries 1 to 5 need the key k1, which SECRETS_KEY lacks');
  });

  it('refuses a newest key without an id', async () => {
    await service.with(BARE);
    const run = await runCli(service.url, BARE, 'rechiffrer');
    expect([run.code, run.errors]).toEqual([1, expect.stringMatching(/^Give the newest key .* an id/)]);
  });

  it('killed at random moments and started again, it loses nothing and ends', async () => {
    const app = await service.with(ring('k1'));
    const tenant = await filled(app);
    await app.database.query(
      `INSERT INTO idempotency_record (tenant_id, idempotency_key, fingerprint, status, headers, sealed_body)
       SELECT tenant_id, 'x' || n, fingerprint, 200, '{}', sealed_body FROM idempotency_record, generate_series(1, 2000) n
       WHERE tenant_id = $1 AND idempotency_key = 'A'`,
      [tenant.tenantId],
    );
    // Copies open under the key of the original only, so each is sealed for itself.
    const box = new SecretBox(ring('k1'));
    const context = (key: string): string => `idempotency ${tenant.tenantId} ${key}`;
    const copies = times(2_000, (n) => `x${n + 1}`);
    await app.database.query(
      `UPDATE idempotency_record r SET sealed_body = s.body FROM unnest($2::text[], $3::bytea[]) s (key, body)
       WHERE tenant_id = $1 AND idempotency_key = s.key`,
      [
        tenant.tenantId,
        copies,
        copies.map((key) => box.seal(Buffer.from(`answer ${key.slice(1)}`), context(key))),
      ],
    );
    const counts: number[] = [];
    for (let kill = 0; kill < 6; kill++) {
      const child = await Child.spawn('cli', settingsOf(service.url, ring('k2', 'k1')), ['rechiffrer']);
      const before = (await sealedWith(app, tenant)).filter((id) => id === 'k2').length;
      for (let look = 0; look < 600 && child.isRunning; look++) {
        const now = (await sealedWith(app, tenant)).filter((id) => id === 'k2').length;
        if (now > before + 40 * kill) break;
        await wait(25);
      }
      await child.stop('SIGKILL');
      counts.push((await sealedWith(app, tenant)).filter((id) => id === 'k2').length);
    }
    // The kills came in the middle: control of the trial itself.
    expect(counts.some((count) => count > 0 && count < 2_007)).toBe(true);
    const run = await runCli(service.url, ring('k2', 'k1'), 'rechiffrer');
    expect([run.code, run.errors]).toEqual([0, expect.stringContaining('Nothing needs these keys')]);
    expect(new Set(await sealedWith(app, tenant))).toEqual(new Set(['k2']));
    const { rows } = await app.database.query<{ key: string; sealed: Buffer }>(
      `SELECT idempotency_key AS key, sealed_body AS sealed FROM idempotency_record
       WHERE tenant_id = $1 AND idempotency_key LIKE 'x%'`,
      [tenant.tenantId],
    );
    const newest = new SecretBox(ring('k2'));
    const wrong = rows.filter(
      ({ key, sealed }) => newest.open(sealed, context(key)).toString() !== `answer ${key.slice(1)}`,
    );
    expect([rows.length, wrong]).toEqual([2_000, []]);
    expect(await faultsWith(app, tenant, ring('k2'))).toEqual([]);
  }, 180_000);

  it('two at once do all of it once', async () => {
    const app = await service.with(ring('k1'));
    const tenant = await filled(app);
    const settings = settingsOf(service.url, ring('k2', 'k1'));
    const runs = await Promise.all(times(2, () => Child.spawn('cli', settings, ['rechiffrer'])));
    expect(await Promise.all(runs.map(({ exited }) => exited))).toEqual([0, 0]);
    const actions = (await new Trail(app, tenant).rows()).map(({ action }) => action);
    expect(actions.filter((action) => action === 'journal.attester')).toHaveLength(1);
    expect(new Set(await sealedWith(app, tenant))).toEqual(new Set(['k2']));
  });

  it('waits for no locked endpoint, and comes back to it', async () => {
    const app = await service.with(ring('k1'));
    const tenant = await filled(app);
    await app.database.query('BEGIN');
    await app.database.query('SELECT FROM webhook WHERE tenant_id = $1 FOR UPDATE', [tenant.tenantId]);
    const run = await runCli(service.url, ring('k2', 'k1'), 'rechiffrer');
    await app.database.query('COMMIT');
    expect(run.code).toBe(1);
    expect(run.errors).toContain('3 secrets are still encrypted with the key k1.');
    const again = await runCli(service.url, ring('k2', 'k1'), 'rechiffrer');
    expect(again.code).toBe(0);
    expect(new Set(await sealedWith(app, tenant))).toEqual(new Set(['k2']));
  });
});
