import type { Client } from 'pg';
import { eventually, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp } from '../setup/test-app';
import { perTest } from '../setup/fixtures';
import { lockWaits } from '../setup/lock-waits';

const EMPLOYE = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };

let app: TestApp;
let replica: TestApp;
const tenant = perTest(() => app.tenant());
let rival: Client;

beforeAll(async () => {
  app = await TestApp.start();
  const { databaseUrl, secretsKey } = app.config;
  replica = await TestApp.start({ databaseUrl, secretsKey });
  // A superuser's connection with a long deadlock timeout: in a deadlock with it, the service is the victim.
  rival = await app.connect('-c deadlock_timeout=1h');
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
});

const both = (index: number): TestApp => (index % 2 ? replica : app);
const create = (index: number, headers?: Record<string, string>) =>
  both(index).send(tenant, 'POST', '/b2b/v1/employe', EMPLOYE, headers);
const sync = (body: unknown, headers?: Record<string, string>) =>
  app.send(tenant, 'POST', '/b2b/v1/employe/sync', body, headers);
const statuses = (answers: Answer[]): number[] => answers.map(({ status }) => status).sort();
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

async function stored(): Promise<string[]> {
  const text = 'SELECT id_externe FROM employe WHERE tenant_id = $1';
  const { rows } = await app.database.query<{ id_externe: string }>(text, [tenant.tenantId]);
  return rows.map((row) => row.id_externe);
}

describe('twenty equal POST /b2b/v1/employe at once', () => {
  it('one is 201, nineteen are 409, one row', async () => {
    const answers = await Promise.all(times(20, (index) => create(index)));
    expect(statuses(answers)).toEqual([201, ...times(19, () => 409)]);
    for (const answer of answers)
      if (answer.status === 409) expectProblem(answer, 409, 'Employe.IdExterneDejaUtilise');
    expect(await stored()).toEqual(['E-1']);
  });

  it('with one Idempotency-Key over two replicas: one effect; the rest gets a replay or 409 Idempotence.EnCours', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const answers = await Promise.all(times(20, (index) => create(index, headers)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.filter((answer) => answer.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers) {
      if (answer.status === 201) continue;
      expectProblem(answer, 409, 'Idempotence.EnCours');
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    for (const later of [await create(0, headers), await create(1, headers)]) {
      expect([later.status, later.text, later.headers.get('idempotent-replayed')]).toEqual([
        201,
        made[0]!.text,
        'true',
      ]);
    }
    expect(await stored()).toEqual(['E-1']);
  });
});

describe('six overlapping syncs of the same 2,000 records over two replicas, with single writes in between', () => {
  it('no response is a 5xx, no record is duplicated, and the counts of each response add up', async () => {
    const employeurs = times(20, (index) => ({ idExterne: `EMP-${index}`, nom: 'E' }));
    const records = (round: number) =>
      times(2_000, (index) => ({
        ...{
          idExterne: `E-${index}`,
          prenom: `P${round}`,
          nom: 'Roy',
          identifiantExterneEmployeur: `EMP-${index % 20}`,
        },
      }));
    const syncs = times(6, (round) => {
      const employes = round % 2 ? records(round).reverse() : records(round);
      const sent = { employeurs: round % 2 ? [...employeurs].reverse() : employeurs, employes };
      return both(round).send(tenant, 'POST', '/b2b/v1/employe/sync', sent);
    });
    const singles: Promise<Answer>[] = [];
    let running = true;
    const finished = Promise.all(syncs).finally(() => (running = false));
    for (let index = 0; running; index = (index + 7) % 2_000) {
      const idExterne = `E-${index}`;
      const put = { idExterne, prenom: 'PUT', nom: 'Roy', identifiantExterneEmployeur: 'EMP-3' };
      singles.push(
        app.send(tenant, 'PUT', '/b2b/v1/employe', put),
        replica.send(tenant, 'POST', '/b2b/v1/employe', { ...put, prenom: 'POST' }),
      );
      const deleted = replica.send(tenant, 'DELETE', `/b2b/v1/employe/E-${1_999 - index}`);
      singles.push(deleted);
      await deleted;
    }
    const answers = await finished;
    for (const { status, json } of answers) {
      expect(status).toBe(200);
      expect(json.created + json.updated + json.errors.length).toBe(2_020);
      expect(json.errors).toEqual([]);
    }
    const singleStatuses = new Set(statuses(await Promise.all(singles)));
    expect([...singleStatuses].filter((status) => ![200, 201, 204, 400, 404, 409].includes(status))).toEqual(
      [],
    );
    const ids = await stored();
    expect(new Set(ids).size).toBe(ids.length);
    expect((await sync({ employeurs, employes: records(9) })).json).toMatchObject({ errors: [] });
    expect((await stored()).length).toBe(2_000);
  });
});

describe('a sync that began before a change and ends after it', () => {
  it('sets a later derniereMAJ than the change did', async () => {
    await sync({ employes: [EMPLOYE, { ...EMPLOYE, idExterne: 'E-2' }] });
    await rival.query('BEGIN');
    await rival.query(`SELECT FROM employe WHERE tenant_id = $1 AND id_externe = 'E-1' FOR UPDATE`, [
      tenant.tenantId,
    ]);
    const running = sync({
      employes: ['E-1', 'E-2'].map((idExterne) => ({ ...EMPLOYE, idExterne, nom: 'Sync' })),
    });
    await lockWaits(app.database);
    const put = await app.send(tenant, 'PUT', '/b2b/v1/employe', {
      ...EMPLOYE,
      idExterne: 'E-2',
      nom: 'Put',
    });
    await rival.query('ROLLBACK');
    expect((await running).json).toEqual({ created: 0, updated: 2, errors: [] });
    const { json } = await app.send(tenant, 'GET', '/b2b/v1/employe/E-2');
    expect(json.nom).toBe('Sync');
    expect(Date.parse(json.derniereMAJ)).toBeGreaterThanOrEqual(Date.parse(put.json.derniereMAJ));
  });
});

describe('a sync that another request overtakes', () => {
  it.each([
    ['on its own', {}],
    ['under an Idempotency-Key', { 'Idempotency-Key': 'overtaken' }],
  ])('%s, by the creation of one of its records: it updates that record', async (_how, headers) => {
    await rival.query('BEGIN');
    await rival.query(
      `INSERT INTO employe (tenant_id, id_externe, prenom, nom) VALUES ($1, 'E-1', 'Rival', 'R')`,
      [tenant.tenantId],
    );
    const running = sync({ employes: [EMPLOYE] }, headers);
    await lockWaits(app.database);
    await rival.query('COMMIT');
    const { status, json } = await running;
    expect({ status, json }).toEqual({ status: 200, json: { created: 0, updated: 1, errors: [] } });
    expect(await stored()).toEqual(['E-1']);
  });

  it.each([
    ['on its own', {}],
    ['under an Idempotency-Key', { 'Idempotency-Key': 'overtaken' }],
  ])(
    '%s, by the deletion of its employer: that record is an error, the others are written',
    async (_how, headers) => {
      await app.send(tenant, 'POST', '/b2b/v1/employeur', { idExterne: 'EMP-1', nom: 'Aciérie' });
      await rival.query('BEGIN');
      await rival.query(`DELETE FROM employeur WHERE tenant_id = $1`, [tenant.tenantId]);
      const running = sync(
        {
          employes: [
            { ...EMPLOYE, identifiantExterneEmployeur: 'EMP-1' },
            { ...EMPLOYE, idExterne: 'E-2' },
          ],
        },
        headers,
      );
      await lockWaits(app.database);
      await rival.query('COMMIT');
      const { status, json } = await running;
      const errors = [{ idExterne: 'E-1', message: 'identifiantExterneEmployeur names no employer: EMP-1' }];
      expect({ status, json }).toEqual({ status: 200, json: { created: 1, updated: 0, errors } });
      expect(await stored()).toEqual(['E-2']);
    },
  );
});

describe('a sync that waits for the employer of an employee', () => {
  it('has not locked the employee, as the deletion of an employer has not', async () => {
    await sync({ employeurs: [{ idExterne: 'EMP-1', nom: 'Aciérie' }], employes: [EMPLOYE] });
    await rival.query('BEGIN');
    await rival.query('SELECT FROM employeur WHERE tenant_id = $1 FOR UPDATE', [tenant.tenantId]);
    const running = sync({ employes: [{ ...EMPLOYE, identifiantExterneEmployeur: 'EMP-1' }] });
    await lockWaits(app.database);
    const locked = rival.query('SELECT FROM employe WHERE tenant_id = $1 FOR UPDATE NOWAIT', [
      tenant.tenantId,
    ]);
    expect((await locked).rowCount).toBe(1);
    await rival.query('ROLLBACK');
    expect((await running).json).toEqual({ created: 0, updated: 1, errors: [] });
  });
});

describe('a deadlock', () => {
  const LOCK_EMPLOYE = `SELECT 1 FROM employe WHERE tenant_id = $1 FOR UPDATE`;
  const LOCK_EMPLOYEUR = `UPDATE employeur SET nom = 'Rival' WHERE tenant_id = $1`;
  const deadlocks = async (): Promise<number> => {
    const text = `SELECT pg_stat_force_next_flush(), deadlocks::int FROM pg_stat_database WHERE datname = current_database()`;
    return (await app.database.query<{ deadlocks: number }>(text)).rows[0]!.deadlocks;
  };
  const body = {
    employeurs: [{ idExterne: 'EMP-1', nom: 'Service' }],
    employes: [{ ...EMPLOYE, prenom: 'Service' }],
  };

  beforeEach(async () => {
    await sync({ employeurs: [{ idExterne: 'EMP-1', nom: 'Avant' }], employes: [EMPLOYE] });
  });

  it.each([
    ['a sync', {}],
    ['a sync under an Idempotency-Key', { 'Idempotency-Key': 'deadlock' }],
  ])('with %s as its victim is retried, and the caller gets a 200', async (_what, headers) => {
    const before = await deadlocks();
    await rival.query('BEGIN');
    await rival.query(LOCK_EMPLOYE, [tenant.tenantId]);
    const running = sync(body, headers);
    await lockWaits(app.database);
    // The service has locked the employer and waits for the employee, which the rival has locked and now waits for the
    // employer.
    await rival.query(LOCK_EMPLOYEUR, [tenant.tenantId]);
    await rival.query('COMMIT');
    const { status, json } = await running;
    expect({ status, json }).toEqual({ status: 200, json: { created: 0, updated: 2, errors: [] } });
    await eventually(async () => ((await deadlocks()) > before ? true : undefined), 'A deadlock');
    const employeur = await app.send(tenant, 'GET', '/b2b/v1/employeur/EMP-1');
    expect(employeur.json.nom).toBe('Service');
  });

  it('negative control: without a retry, the victim of the same deadlock fails with 40P01', async () => {
    const victim = await app.connect();
    await rival.query('BEGIN');
    await rival.query(LOCK_EMPLOYE, [tenant.tenantId]);
    await victim.query('BEGIN');
    await victim.query(LOCK_EMPLOYEUR, [tenant.tenantId]);
    const failing = expect(victim.query(LOCK_EMPLOYE, [tenant.tenantId])).rejects.toMatchObject({
      code: '40P01',
    });
    await lockWaits(app.database);
    const waiting = rival.query(LOCK_EMPLOYEUR, [tenant.tenantId]);
    await failing;
    await victim.end();
    await waiting;
    await rival.query('ROLLBACK');
  });
});
