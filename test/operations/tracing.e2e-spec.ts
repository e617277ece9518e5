import type { INestApplication } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refusing } from '../adhesion/support/data-space';
import { Child } from '../http/child-process';
import { eventually } from '../http/expect-problem';
import { cloneTemplate, TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Receiver } from '../webhooks/support/receiver';
import { Space } from '../webhooks/support/space';
import { Collector, type ReceivedSpan } from './support/collector';

const SIGNING = '/plateforme/v1/adhesions';
/** Values that no span may have. */
const CANARY = {
  ...{ prenom: 'Canaribelle', nom: 'Serinette', courriel: 'canari@serin.example' },
  path: 'chemin-canari',
  query: 'requete-canari',
};
const CARD = { employeIdExterne: 'E-1', syndicatIdExterne: 'S-1', ...namesOf(CANARY) };
const SPAN = '00f067aa0ba902b7';

let app: TestApp;
let collector: Collector;
let receiver: Receiver;
let worker: INestApplication;
let space: Space;

beforeAll(async () => {
  [collector, receiver] = await Promise.all([Collector.start(), Receiver.start()]);
  app = await TestApp.start({ otlpEndpoint: `${collector.url}/`, standbys: new Map() });
  worker = await startWorker(app.config);
  space = await Space.open(app);
});
afterAll(async () => {
  await worker.close();
  await app.stop();
  await Promise.all([collector.stop(), receiver.stop()]);
});

function namesOf({ prenom, nom, courriel }: typeof CANARY): object {
  return { prenom, nom, courriel };
}

const newTrace = (): string => randomBytes(16).toString('hex');
const parentOf = (trace: string, flags = '01') => ({ traceparent: `00-${trace}-${SPAN}-${flags}` });

/** Waits for a span of a trace. */
const spanOf = (trace: string, name: string): Promise<ReceivedSpan> =>
  eventually(() => collector.of(trace).find((one) => one.name === name), `the span ${name}`, 30);

const sign = (trace: string, flags?: string) =>
  space.send('POST', SIGNING, CARD, parentOf(trace, flags), { cle: space.plateforme });

describe('spans', () => {
  it('a signing, its statements and its delivery share the trace that the caller began', async () => {
    const path = `/${CANARY.path}`;
    const { id } = await space.endpoint({
      url: `${receiver.url}${path}?jeton=${CANARY.query}`,
      types: ['adhesion.signee'],
    });
    const trace = newTrace();
    const answer = await sign(trace);
    expect(answer.status).toBe(201);
    const delivery = await spanOf(trace, 'delivery adhesion.signee');
    const request = await spanOf(trace, `POST ${SIGNING}`);
    expect(answer.headers.get('traceparent')).toBe(`00-${trace}-${request.id}-01`);
    expect(request).toMatchObject({ process: 'mandat-api', parentId: SPAN, failed: false });
    expect(request.facts).toEqual({
      'http.request.method': 'POST',
      'http.route': SIGNING,
      'http.response.status_code': 201,
      'mandat.tenant.id': space.tenantId,
    });
    expect(delivery).toMatchObject({ process: 'mandat-worker', parentId: request.id, failed: false });
    expect(delivery.facts).toMatchObject({
      'mandat.webhook.id': id,
      'mandat.livraison.essai': 1,
      'http.response.status_code': 204,
    });
    const statements = collector.of(trace).filter(({ parentId }) => parentId === request.id);
    expect(statements.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['outbox_add', 'livraison_fan_out', 'INSERT pgboss.job_common', 'COMMIT']),
    );
    expect(receiver.received.at(-1)!.headers).not.toHaveProperty('traceparent');
  });

  it('further delivery attempts belong to the trace, too', async () => {
    const path = '/busy';
    receiver.behaviours.set(path, (_received, response) => response.writeHead(503).end());
    const { id } = await space.endpoint({ url: receiver.url + path, types: ['adhesion.signee'] });
    const trace = newTrace();
    await sign(trace);
    const failed = await eventually(
      () => collector.of(trace).find(({ facts }) => facts['mandat.webhook.id'] === id),
      'the failed delivery',
      30,
    );
    expect(failed).toMatchObject({ failed: true, facts: { 'error.type': '503' } });
    const request = await spanOf(trace, `POST ${SIGNING}`);
    const next = await eventually(async () => {
      const rows = await space.rows<{ traceparent: string }>(
        `SELECT data->>'traceparent' AS traceparent FROM pgboss.job
         WHERE data->>'tenantId' = $1::text AND data->>'webhookId' = $2 AND (data->>'tour')::int > 0`,
        id,
      );
      return rows[0];
    }, 'the job of the next attempt');
    expect(next.traceparent).toBe(`00-${trace}-${request.id}-01`);
  });

  it('a sync as a task: the request is the parent of the job, and the job that of its statements', async () => {
    const trace = newTrace();
    const sync = { Employes: [{ IdExterne: 'E-2', Prenom: CANARY.prenom, Nom: CANARY.nom }] };
    const headers = { ...parentOf(trace), Prefer: 'respond-async' };
    expect((await space.send('POST', '/b2b/v2/sync', sync, headers)).status).toBe(202);
    const job = await spanOf(trace, 'job tache');
    expect(job.parentId).toBe((await spanOf(trace, 'POST /b2b/v2/sync')).id);
    expect(collector.of(trace).filter(({ parentId }) => parentId === job.id).length).toBeGreaterThan(5);
  });

  it('a list in parts has the statements of all parts', async () => {
    const employes = Array.from({ length: 5_001 }, (_, n) => ({
      ...{ idExterne: `L-${n}`, prenom: CANARY.prenom, nom: CANARY.nom },
    }));
    expect((await space.send('POST', '/b2b/v1/employe/sync', { employes })).status).toBe(200);
    const trace = newTrace();
    await space.send('GET', '/b2b/v1/employe', undefined, parentOf(trace));
    const request = await spanOf(trace, 'GET /b2b/v1/employe');
    const statements = collector.of(trace).filter(({ parentId }) => parentId === request.id);
    expect(statements.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['employe_v1_page_', 'employe_v1_page__after']),
    );
  });

  it('a failure has its SQLSTATE and status', async () => {
    const trace = newTrace();
    await refusing(app, 'evenement', () => sign(trace));
    expect(await spanOf(trace, `POST ${SIGNING}`)).toMatchObject({
      failed: true,
      facts: { 'error.type': '500' },
    });
    expect(await spanOf(trace, 'outbox_add')).toMatchObject({
      failed: true,
      facts: { 'error.type': 'P0001' },
    });
  });

  it('a request that the caller does not sample, and a probe, have none', async () => {
    const [trace, later] = [newTrace(), newTrace()];
    const answer = await sign(trace, '00');
    expect(answer.headers.get('traceparent')).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
    await app.send(undefined, 'GET', '/health/ready', undefined, parentOf(later));
    await app.send(undefined, 'GET', '/b2b/v9', undefined, parentOf(later));
    await spanOf(later, 'GET unmatched');
    expect([collector.of(trace), collector.of(later).length]).toEqual([[], 1]);
  });

  it('have no name, address, key, URL or value of a person', async () => {
    const trace = newTrace();
    const path = `/b2b/v1/employe/${CANARY.nom}?${CANARY.query}=${CANARY.prenom}`;
    await space.send('GET', path, undefined, { ...parentOf(trace), 'X-Request-Id': CANARY.path });
    await spanOf(trace, 'GET /b2b/v1/employe/:idExterne');
    // The search finds what is there.
    expect(collector.received).toContain(space.tenantId);
    const secrets = [
      ...Object.values(CANARY),
      space.tenant.cle,
      space.plateforme,
      app.adminKey,
      receiver.url,
    ];
    expect(secrets.filter((one) => collector.received.includes(one))).toEqual([]);
  });
});

describe('a collector', () => {
  it('an endless response delays the stop by less than 15 s', async () => {
    const endless = createServer((_request, response) => {
      response.writeHead(200);
      const drops = setInterval(() => (response.destroyed ? clearInterval(drops) : response.write(' ')), 500);
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const { port } = endless.address() as AddressInfo;
    const api = await Child.start('partner-api', {
      DATABASE_URL: await cloneTemplate(),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    });
    await fetch(`${api.url}/b2b/v9`);
    const begun = Date.now();
    expect(await api.stop()).toBe(0);
    expect(Date.now() - begun).toBeLessThan(15_000);
    endless.closeAllConnections();
    endless.close();
  });
});

describe('the packages of tracing', () => {
  /** Reports the loaded modules of tracing on standard error. */
  const HOOK = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      if (/opentelemetry.(sdk-trace|exporter-trace|otlp)/.test(url)) process.stderr.write('LOADED ' + url + String.fromCharCode(10));
      return next(url, context);
    } });`;
  const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(HOOK).toString('base64')}`;

  it.each(['partner-api', 'worker'] as const)(
    'are loaded by %s only with OTEL_EXPORTER_OTLP_ENDPOINT',
    async (name) => {
      const DATABASE_URL = await cloneTemplate();
      const off = await Child.start(name, { DATABASE_URL, NODE_OPTIONS });
      expect(await off.stop()).toBe(0);
      expect(off.errors).not.toContain('LOADED');
      const on = await Child.start(name, {
        ...{ DATABASE_URL, NODE_OPTIONS, LOG_LEVEL: 'info' },
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      });
      expect(on.errors).toContain('LOADED');
      expect((await fetch(`${on.url}/b2b/v9`)).status).toBe(404);
      // The collector is away, which a line says once.
      await eventually(
        () => on.output.includes('the collector does not take spans') || undefined,
        'the warning',
        30,
      );
      // A span that waits does not hold up the stop, nor make it fail.
      await fetch(`${on.url}/b2b/v9`);
      expect(await on.stop()).toBe(0);
    },
  );
});
