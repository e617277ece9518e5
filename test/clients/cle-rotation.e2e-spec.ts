import { randomUUID } from 'node:crypto';
import { ExpiryService } from '../../libs/clients/src';
import { Clock } from '../../libs/platform/src/ops/clock';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { perFile, perTest } from '../setup/fixtures';
import { Trail } from '../audit/support/trail';
import { until } from '../webhooks/support/receiver';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const app = perFile(() => TestApp.own('a worker runs'));
const tenant = perTest(() => app.tenant());

const pathOf = ({ clientId, cleId }: { clientId: string; cleId: string }): string =>
  `/admin/v1/clients/${clientId}/cles/${cleId}`;
const rotate = (one: TestTenant, body: unknown, headers?: Record<string, string>): Promise<Answer> =>
  app.send(app.adminKey, 'POST', `${pathOf(one)}/rotation`, body, headers);
const read = async (one: { clientId: string; cleId: string }): Promise<Answer['json']> =>
  (await app.send(app.adminKey, 'GET', pathOf(one))).json;
const statusOf = async (cle: string): Promise<number> => (await app.send(cle, 'GET', '/b2b/v1/moi')).status;
const countKeys = async ({ clientId }: TestTenant): Promise<number> =>
  (await app.send(app.adminKey, 'GET', `/admin/v1/clients/${clientId}/cles`)).json.length as number;

describe('POST /admin/v1/clients/{clientId}/cles/{cleId}/rotation', () => {
  it('201 with a key like the old one, which ends after the grace', async () => {
    const one = await app.tenant({ cleModules: ['vote'] });
    const before = await read(one);
    const sent = Date.now();
    const { status, json, headers } = await rotate(one, { graceHeures: 24 });
    expect(status).toBe(201);
    const { id, cle, ...item } = json;
    expect(headers.get('location')).toBe(`/admin/v1/clients/${one.clientId}/cles/${id}`);
    const { nom, environnement, role, modules } = before;
    expect(item).toMatchObject({ nom, environnement, role, modules, expireLe: null, revoqueLe: null });
    expect([id === one.cleId, cle === one.cle]).toEqual([false, false]);
    const old = await read(one);
    expect(old).toEqual({ ...before, expireLe: old.expireLe, dernierUsage: old.dernierUsage });
    expect(Date.parse(old.expireLe) - sent - DAY_MS).toBeGreaterThanOrEqual(0);
    expect(Date.parse(old.expireLe) - Date.now() - DAY_MS).toBeLessThanOrEqual(0);
    expect(await Promise.all([one.cle, cle].map(statusOf))).toEqual([200, 200]);
    expect(JSON.stringify(await read({ ...one, cleId: id }))).not.toContain(cle);
    const rows = await new Trail(app, one).rows(one.clientId);
    expect(rows.slice(-2).map(({ action, objetId }) => [action, objetId])).toEqual([
      ['cle.rotation', one.cleId],
      ['cle.creer', id],
    ]);
  });

  it('a grace of 0 ends the old key within 5 s, and the new one works at once', async () => {
    expect(await statusOf(tenant.cle)).toBe(200);
    const { json } = await rotate(tenant, { graceHeures: 0 });
    expect(await statusOf(json.cle)).toBe(200);
    const begun = performance.now();
    await until('the old key is refused', async () => (await statusOf(tenant.cle)) === 401);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it.each([null, 90 * 24])(
    'a repeated rotation of a key with a life of %s hours issues a key with the same life, not with the end of the grace',
    async (hours) => {
      const one = await app.tenant(
        hours === null ? {} : { expireLe: new Date(Date.now() + hours * HOUR_MS) },
      );
      const lives = [];
      for (let turn = 0; turn < 3; turn++) {
        const { status, json } = await rotate(one, { graceHeures: 24 });
        expect(status).toBe(201);
        const life = json.expireLe && Date.parse(json.expireLe) - Date.parse(json.dateCreation);
        lives.push(life && Math.round(life / HOUR_MS));
      }
      expect(lives).toEqual([hours, hours, hours]);
    },
  );

  it('an earlier end stays, and the new key has as long a life as the old one', async () => {
    const expireLe = new Date(Date.now() + 2 * HOUR_MS);
    const one = await app.tenant({ expireLe });
    const { dateCreation } = await read(one);
    const { json } = await rotate(one, { graceHeures: 24 });
    expect((await read(one)).expireLe).toBe(expireLe.toISOString());
    const life = expireLe.getTime() - Date.parse(dateCreation);
    expect(Date.parse(json.expireLe) - Date.parse(json.dateCreation)).toBeGreaterThanOrEqual(life - 1_000);
    expect(Date.parse(json.expireLe) - Date.parse(json.dateCreation)).toBeLessThanOrEqual(life);
  });

  it.each([
    ['revoked', (one: TestTenant) => app.send(app.adminKey, 'DELETE', pathOf(one))],
    ['ended', (one: TestTenant) => rotate(one, { graceHeures: 0 })],
  ])('409 Cle.DejaTerminee for a key that is %s, and no key is issued', async (_how, end) => {
    await end(tenant);
    const [before, keys] = [await read(tenant), await countKeys(tenant)];
    expectProblem(await rotate(tenant, { graceHeures: 1 }), 409, 'Cle.DejaTerminee');
    expect([await read(tenant), await countKeys(tenant)]).toEqual([before, keys]);
  });

  it('ten at once with a grace of 0: one key is issued, nine get 409', async () => {
    const answers = await Promise.all(times(10, () => rotate(tenant, { graceHeures: 0 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...times(9, () => 409)]);
    expect(await countKeys(tenant)).toBe(2);
  });

  it('another client’s key and an unknown one are 404, and nothing changes', async () => {
    const other = await app.tenant();
    const before = await read(other);
    for (const cleId of [other.cleId, randomUUID(), 'x'])
      expectProblem(await rotate({ ...tenant, cleId }, { graceHeures: 0 }), 404, 'Cle.NotFound');
    expectProblem(
      await rotate({ ...tenant, clientId: randomUUID() }, { graceHeures: 0 }),
      404,
      'Client.NotFound',
    );
    expect([await read(other), await countKeys(other)]).toEqual([before, 1]);
    expectProblem(
      await app.send(tenant, 'POST', `${pathOf(tenant)}/rotation`, { graceHeures: 0 }),
      403,
      'Cle.RoleInsuffisant',
    );
  });

  it.each([
    [{}, { '/graceHeures': 'required' }],
    [{ graceHeures: null }, { '/graceHeures': 'required' }],
    [{ graceHeures: -1 }, { '/graceHeures': 'range' }],
    [{ graceHeures: 721 }, { '/graceHeures': 'range' }],
    [{ graceHeures: 1.5 }, { '/graceHeures': 'type' }],
    [{ graceHeures: '24' }, { '/graceHeures': 'type' }],
    [{ graceHeures: 24, nom: 'x' }, { '/nom': 'unknown' }],
  ])('400 for %j, and nothing changes', async (body, faults) => {
    const before = await read(tenant);
    expectFaults(await rotate(tenant, body), faults);
    expect([await read(tenant), await countKeys(tenant)]).toEqual([before, 1]);
  });

  it('409 Idempotence.NonRepetable for a repetition, which issues no second key', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const { json } = await rotate(tenant, { graceHeures: 24 }, key);
    const again = await rotate(tenant, { graceHeures: 24 }, key);
    expectProblem(again, 409, 'Idempotence.NonRepetable');
    expect(again.text).not.toContain(json.cle);
    expect(await countKeys(tenant)).toBe(2);
  });
});

describe('cle.expireBientot', () => {
  /** Events of a data space, as its feed shows them. */
  const events = async ({ tenantId }: TestTenant): Promise<unknown[]> =>
    (
      await app.database.query<{ data: unknown }>(
        `SELECT data FROM evenement WHERE tenant_id = $1 AND type = 'cle.expireBientot' ORDER BY date_creation`,
        [tenantId],
      )
    ).rows.map(({ data }) => data);

  class MovedClock extends Clock {
    time = new Date();

    override now(): Date {
      return this.time;
    }
  }

  it('is sent 14 days before the end, once over three workers, with the key and without its secret', async () => {
    const expireLe = new Date(Date.now() + 40 * DAY_MS);
    const [one, without] = [await app.tenant({ expireLe }), await app.tenant()];
    const clock = new MovedClock();
    const workers = await Promise.all(times(3, () => startWorker(app.config, { clock, roundMs: 20 })));
    const tellAll = () => Promise.all(workers.map((worker) => worker.get(ExpiryService).tellAllDue()));
    try {
      clock.time = new Date(expireLe.getTime() - 14 * DAY_MS - 1);
      await tellAll();
      expect(await events(one)).toEqual([]);
      clock.time = new Date(expireLe.getTime() - 14 * DAY_MS);
      await tellAll();
      await tellAll();
      const { nom, prefixe, environnement, role } = await read(one);
      const told = { cleId: one.cleId, nom, prefixe, environnement, role, expireLe: expireLe.toISOString() };
      expect(await events(one)).toEqual([told]);
      expect(await events(without)).toEqual([]);
      expect(JSON.stringify(told)).not.toContain(one.cle);
      clock.time = new Date(expireLe.getTime() - DAY_MS);
      await tellAll();
      expect(await events(one)).toHaveLength(1);
    } finally {
      await Promise.all(workers.map((worker) => worker.close()));
    }
  });

  it('a subscribed endpoint gets a delivery, and a revoked or expired key none', async () => {
    const soon = new Date(Date.now() + DAY_MS);
    const [revoked, live] = [await app.tenant({ expireLe: soon }), await app.tenant({ expireLe: soon })];
    const past = await app.tenant({ expireLe: new Date(Date.now() - DAY_MS) });
    await app.send(app.adminKey, 'DELETE', pathOf(revoked));
    const body = { url: 'http://127.0.0.1:9/', types: ['cle.expireBientot'] };
    expect((await app.send(live, 'POST', '/b2b/v2/webhook', body)).status).toBe(201);
    const worker = await startWorker(app.config, { roundMs: 20 });
    try {
      // The rounds of the worker itself find it.
      await until('the event is there', async () => (await events(live)).length === 1);
    } finally {
      await worker.close();
    }
    const { rows } = await app.database.query('SELECT FROM livraison WHERE tenant_id = $1', [live.tenantId]);
    expect(rows).toHaveLength(1);
    expect([await events(revoked), await events(past)]).toEqual([[], []]);
  });
});
