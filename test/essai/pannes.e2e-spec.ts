import { ClientsService } from '../../libs/clients/src';
import { PannesService } from '../../libs/essai/src/application/pannes.service';
import { HttpMetrics } from '../../libs/platform/src/ops/metrics';
import { TEST_ACTOR } from '../setup/actor';
import { perFile } from '../setup/fixtures';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { statementsOf } from '../membership/plans';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Partner } from '../sync/support';
import { Receiver, until } from '../webhooks/support/receiver';
import { ShiftedClock } from '../webhooks/support/shifted-clock';
import { Space } from '../webhooks/support/space';

const PANNES = '/b2b/v2/essai/pannes';
const EMPLOYES = '/b2b/v1/employe';
const ROUTE = `GET ${EMPLOYES}`;

const app = perFile(() => TestApp.own('a worker runs'));
let partner: Partner;

beforeEach(async () => {
  partner = await Partner.start(app);
});

const put = (body: object): Promise<Answer> => partner.send('PUT', PANNES, body);
const list = (): Promise<Answer> => partner.send('GET', EMPLOYES);

/** A key of the same client. */
const keyOf = (environnement: 'staging' | 'production', role: 'partenaire' | 'plateforme') =>
  app.app
    .get(ClientsService)
    .issueCle(TEST_ACTOR, partner.tenant.clientId, { nom: 'Autre', environnement, role });

describe('PUT /b2b/v2/essai/pannes', () => {
  it('the next requests to the route get the status, and the one after them is served', async () => {
    const { status, json } = await put({ route: ROUTE, statut: 503, fois: 2 });
    expect(status).toBe(200);
    expect(json).toEqual({
      ...{ route: ROUTE, webhookId: null, statut: 503, delaiMs: null, coupure: null, fois: 2, restantes: 2 },
      expireLe: expect.any(String),
    });
    const inMinutes = (new Date(json.expireLe as string).getTime() - Date.now()) / 60_000;
    expect(Math.round(inMinutes)).toBe(60);
    // Other routes, and the route with another method, are served.
    expect((await partner.send('GET', '/b2b/v1/employeur')).status).toBe(200);
    expectFaults(
      await partner.send('POST', EMPLOYES, {}),
      '/idExterne required, /prenom required, /nom required',
    );
    for (const left of [1, 0]) {
      const answer = await list();
      expectProblem(answer, 503, 'Essai.PanneSimulee');
      expect(answer.headers.get('retry-after')).toBe('1');
      const active = (await partner.get(PANNES)) as { restantes: number }[];
      expect(active.map(({ restantes }) => restantes)).toEqual(left ? [left] : []);
    }
    expect((await list()).status).toBe(200);
  });

  it.each([400, 404, 429, 500, 502, 599])('status %i is sent as problem details', async (statut) => {
    await put({ route: ROUTE, statut, fois: 1 });
    expectProblem(await list(), statut, 'Essai.PanneSimulee');
  });

  it('a request that fails does nothing', async () => {
    await put({ route: `POST ${EMPLOYES}`, statut: 500, fois: 1 });
    const body = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
    const key = { 'Idempotency-Key': 'K-1' };
    expectProblem(await partner.send('POST', EMPLOYES, body, key), 500, 'Essai.PanneSimulee');
    expect(await partner.get(EMPLOYES)).toEqual([]);
    // The repetition under the same key is the first.
    const { status, headers } = await partner.send('POST', EMPLOYES, body, key);
    expect([status, headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  it('a path with a part is one route, whatever the part', async () => {
    await put({ route: `GET ${EMPLOYES}/{idExterne}`, statut: 404, fois: 2 });
    for (const id of ['E-1', 'E-2'])
      expectProblem(await partner.send('GET', `${EMPLOYES}/${id}`), 404, 'Essai.PanneSimulee');
    expectProblem(await partner.send('GET', `${EMPLOYES}/E-1`), 404, 'Employe.NotFound');
  });

  it('delays an answer, which is then served', async () => {
    await put({ route: ROUTE, delaiMs: 700, fois: 1 });
    const timed = async (): Promise<[number, number]> => {
      const began = performance.now();
      const { status } = await list();
      return [status, performance.now() - began];
    };
    const [status, tookMs] = await timed();
    expect(status).toBe(200);
    expect(tookMs).toBeGreaterThan(690);
    // Control.
    expect((await timed())[1]).toBeLessThan(690);
  });

  it('cuts the connection', async () => {
    await put({ route: ROUTE, coupure: true, fois: 1 });
    await expect(list()).rejects.toThrow('fetch failed');
    expect((await list()).status).toBe(200);
  });

  it('20 requests at once: exactly `fois` fail', async () => {
    await put({ route: ROUTE, statut: 500, fois: 7 });
    const statuses = (await Promise.all(Array.from({ length: 20 }, list))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 500)).toHaveLength(7);
    expect(statuses.filter((status) => status === 200)).toHaveLength(13);
  });

  it('20 at once for one route leave one', async () => {
    const bodies = Array.from({ length: 20 }, (_, at) => put({ route: ROUTE, statut: 500, fois: at + 1 }));
    expect(new Set((await Promise.all(bodies)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(await partner.get(PANNES)).toHaveLength(1);
  });

  it('all keys of the partner in staging fail; others do not', async () => {
    await put({ route: ROUTE, statut: 500, fois: 1_000 });
    const second = await keyOf('staging', 'partenaire');
    expectProblem(await app.send(second.cle, 'GET', EMPLOYES), 500, 'Essai.PanneSimulee');
    const production = await keyOf('production', 'partenaire');
    expect((await app.send(production.cle, 'GET', EMPLOYES)).status).toBe(200);
    const platform = await keyOf('staging', 'plateforme');
    expectProblem(await app.send(platform.cle, 'GET', EMPLOYES), 403, 'Cle.RoleInsuffisant');
    const other = await Partner.start(app);
    expect(await other.get(EMPLOYES)).toEqual([]);
    expect(await other.get(PANNES)).toEqual([]);
  });

  it('a request of production has no statement of rehearsals, one of staging has one', async () => {
    const production = await app.tenant({ environnement: 'production' });
    const employe = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
    const statements = async (tenant: TestTenant): Promise<string[]> => {
      const get = () => app.send(tenant, 'GET', `${EMPLOYES}/E-1`);
      expect((await app.send(tenant, 'POST', EMPLOYES, employe)).status).toBe(201);
      // Connections learn statements, and the key is looked up.
      for (let time = 0; time < 20; time++) await get();
      return (await statementsOf(get)).map(({ name, text }) => name ?? text);
    };
    const own = await statements(partner.tenant);
    const others = await statements(production);
    expect(others).toHaveLength(1);
    expect(own).toEqual(['essai_of_request', ...others]);
  });

  it('ends after an hour', async () => {
    await put({ route: ROUTE, statut: 500, fois: 10 });
    const pass = (interval: string) =>
      app.database.query(`UPDATE panne_essai SET expire_le = expire_le - $2::interval WHERE tenant_id = $1`, [
        partner.tenant.tenantId,
        interval,
      ]);
    await pass('59 minutes');
    expectProblem(await list(), 500, 'Essai.PanneSimulee');
    await pass('1 minute');
    expect((await list()).status).toBe(200);
    expect(await partner.get(PANNES)).toEqual([]);
  });

  it('DELETE ends all', async () => {
    await put({ route: ROUTE, statut: 500, fois: 10 });
    expect((await partner.send('DELETE', PANNES)).status).toBe(204);
    expect((await list()).status).toBe(200);
  });

  it('409 for more than 20, which makes room when some have ended', async () => {
    const paths = ['employe', 'employeur', 'campagnes', 'moi', 'webhook', 'syndicat', 'emploi', 'adhesion'];
    const routes = new Set<string>();
    for (const verb of ['GET', 'POST', 'PUT', 'DELETE'])
      for (const path of paths)
        for (const version of ['v1', 'v2'])
          for (const part of ['', '/{idExterne}', '/{id}'])
            routes.add(`${verb} /b2b/${version}/${path}${part}`);
    let taken = 0;
    for (const route of routes) {
      const { status } = await put({ route, statut: 500, fois: 1 });
      if (status === 200) taken += 1;
      if (status === 409) break;
    }
    expect(taken).toBe(20);
    expectProblem(
      await put({ route: 'POST /b2b/v2/sync', statut: 500, fois: 1 }),
      409,
      'Essai.PannesTropNombreuses',
    );
    await app.database.query(`UPDATE panne_essai SET expire_le = now() WHERE tenant_id = $1`, [
      partner.tenant.tenantId,
    ]);
    expect((await put({ route: 'POST /b2b/v2/sync', statut: 500, fois: 1 })).status).toBe(200);
  });

  it('400 for another route, and unless there is one target and one effect within the bounds', async () => {
    for (const route of [
      'GET /b2b/v9/rien',
      EMPLOYES,
      `PUT ${PANNES}`,
      'GET /plateforme/v1/campagnes/{id}/scrutin',
    ])
      expectFaults(await put({ route, statut: 500, fois: 1 }), '/route reference');
    expectFaults(await put({ statut: 500, fois: 1 }), '/route required');
    expectFaults(await put({ route: ROUTE, fois: 1 }), '/statut required');
    expectFaults(await put({ route: ROUTE, statut: 500, delaiMs: 5, fois: 1 }), '/statut required');
    expectFaults(await put({ route: ROUTE, coupure: false, fois: 1 }), '/statut required');
    expectFaults(await put({ route: ROUTE, statut: 200, fois: 1_001 }), '/statut range, /fois range');
    expectFaults(await put({ route: ROUTE, delaiMs: 30_001, fois: 0 }), '/delaiMs range, /fois range');
    const webhookId = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c21';
    expectProblem(await put({ webhookId, statut: 500, fois: 1 }), 404, 'Webhook.NotFound');
    expect(await partner.get(PANNES)).toEqual([]);
  });

  it('403 in production', async () => {
    const production = await keyOf('production', 'partenaire');
    const send = (method: string, body?: object) => app.send(production.cle, method, PANNES, body);
    expectProblem(
      await send('PUT', { route: ROUTE, statut: 500, fois: 1 }),
      403,
      'Essai.EnvironnementRequis',
    );
    expectProblem(await send('GET'), 403, 'Essai.EnvironnementRequis');
    expectProblem(await send('DELETE'), 403, 'Essai.EnvironnementRequis');
  });

  it('measurements of the service omit simulated failures', async () => {
    const finished = jest.spyOn(HttpMetrics.prototype, 'finished');
    const durations = (): unknown[] => finished.mock.calls.map(([, , , durationMs]) => durationMs);
    await put({ route: ROUTE, statut: 500, fois: 1 });
    finished.mockClear();
    await list();
    await until('the log', () => finished.mock.calls.length === 1);
    expect(durations()).toEqual([undefined]);
    // Control.
    await list();
    await until('the log', () => finished.mock.calls.length === 2);
    expect(durations()[1]).toEqual(expect.any(Number));
    finished.mockRestore();
  });
});

describe('failures of an endpoint', () => {
  let receiver: Receiver;
  let clock: ShiftedClock;
  let space: Space;

  beforeAll(async () => {
    clock = await ShiftedClock.install(app.database);
    receiver = await Receiver.start();
  });
  afterAll(() => receiver.stop());

  it('its deliveries show them, though the receiver has got them, and come again', async () => {
    space = await Space.open(app);
    const healthy = await space.endpoint({ url: `${receiver.url}/healthy` });
    const failing = await space.endpoint({ url: `${receiver.url}/failing` });
    const set = await space.send('PUT', PANNES, { webhookId: failing.id, statut: 503, fois: 1 });
    expect(set.status).toBe(200);
    await space.sync();
    const worker = await startWorker(app.config, { clock });
    try {
      await until('both attempts', async () => {
        const [[one], [other]] = [await space.log(failing.id), await space.log(healthy.id)];
        return one?.tentatives.length === 1 && other?.etat === 'Reussie';
      });
      const [delivery] = await space.log(failing.id);
      expect(delivery).toMatchObject({
        etat: 'EnAttente',
        tentatives: [{ statut: 503, reponse: expect.stringContaining('Simulated') }],
      });
      expect(receiver.of('/failing')).toHaveLength(1);
      await space.send('POST', `/b2b/v2/webhook/${failing.id}/livraisons/${delivery.id}/renvoyer`);
      await until('the second attempt', async () => (await space.log(failing.id))[0].etat === 'Reussie');
      const ids = receiver.of('/failing').map(({ headers }) => headers['webhook-id']);
      expect(ids).toEqual([ids[0], ids[0]]);
    } finally {
      await worker.close();
    }
  });

  it('a cut connection has no status, and a delayed answer is late', async () => {
    space = await Space.open(app);
    const endpoint = await space.endpoint({ url: `${receiver.url}/slow` });
    const attempt = async (panne: object): Promise<Answer['json']> => {
      await space.send('PUT', PANNES, { webhookId: endpoint.id, fois: 1, ...panne });
      await space.sync();
      await until(
        'the attempt',
        async () => (await space.log(endpoint.id))[0]?.tentatives.length === 1,
        40_000,
      );
      return (await space.log(endpoint.id))[0].tentatives[0];
    };
    const worker = await startWorker(app.config, { clock });
    try {
      expect(await attempt({ coupure: true })).toMatchObject({ statut: null });
      const slow = await attempt({ delaiMs: 800 });
      expect(slow.statut).toBe(204);
      expect(slow.dureeMs).toBeGreaterThan(790);
    } finally {
      await worker.close();
    }
  });

  it('in production the worker never asks', async () => {
    const production = await app.tenant({ environnement: 'production' });
    const own = new Partner(app, production);
    const { json } = await own.send('POST', '/b2b/v2/webhook', {
      url: `${receiver.url}/prod`,
      types: ['sync.terminee'],
    });
    const worker = await startWorker(app.config, { clock });
    const asked = jest.spyOn(worker.get(PannesService), 'ofWebhook');
    try {
      await own.employers('EMP-1');
      await until(
        'the delivery',
        async () => (await own.get(`/b2b/v2/webhook/${json.id}/livraisons`))[0]?.etat === 'Reussie',
      );
      // The worker also delivers again what earlier tests have left.
      expect(asked.mock.calls.filter(([tenantId]) => tenantId === production.tenantId)).toEqual([]);
    } finally {
      await worker.close();
    }
  });
});
