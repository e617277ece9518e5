import type { INestApplication } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { BUDGETS } from '../../libs/platform/src/limits/budgets';
import { LivraisonRepository } from '../../libs/webhooks/src/persistence/livraison.repository';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { closeAll, quiet, rowsOf, states, tell } from './support/deliveries';
import { Receiver, until } from './support/receiver';
import { register, scene, type Scene } from './support/signed';

const MIB = 1_048_576;
const NO_TIMEOUT_MS = 300_000;

let app: TestApp;
let receiver: Receiver;
let place: Scene;
/** Responses that the receiver has not sent yet, in the order of the requests. */
const unanswered: ServerResponse[] = [];
const workers: INestApplication[] = [];

beforeEach(async () => {
  unanswered.length = 0;
  app = await TestApp.own('a worker runs');
  receiver = await Receiver.start();
  place = await scene(app);
});
afterEach(async () => {
  await Promise.all([receiver.stop(), closeAll(workers)]);
  await app.stop();
});

/** Registers endpoints whose requests are not answered. */
async function silent(count: number, of = place): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const path = `/${of.tenant.tenantId}/${n}`;
    receiver.behaviours.set(path, (_request, response) => void unanswered.push(response));
    ids.push((await register(app, of, receiver.url + path)).id);
  }
  return ids;
}

/** Event data of about this many bytes, more than is read for a delivery that waits. */
const large = (bytes: number, n = 0): string => JSON.stringify({ n, texte: 'é'.repeat(bytes / 2) });

/** Starts a worker, and counts the events that it reads one by one. */
async function work(timeoutMs = NO_TIMEOUT_MS): Promise<{ read: string[] }> {
  const worker = await startWorker(app.config, { timeoutMs });
  workers.push(worker);
  const livraisons = worker.get(LivraisonRepository);
  const read: string[] = [];
  const data = livraisons.data.bind(livraisons);
  livraisons.data = (tenantId, evenementId) => {
    read.push(evenementId);
    return data(tenantId, evenementId);
  };
  return { read };
}

/** Waits until requests have arrived, and no more arrive. @returns their number */
async function noMore(): Promise<number> {
  await until('a request arrives', () => receiver.received.length > 0);
  let before = -1;
  while (before < receiver.received.length) {
    before = receiver.received.length;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
  return before;
}

describe('Attempts with large bodies', () => {
  it('run within the budget of their client, and the others wait until these end', async () => {
    await silent(40);
    await tell(app, place, [large(MIB)]);
    await work();
    const running = await noMore();
    expect(running).toBeGreaterThanOrEqual(10);
    expect(running * MIB).toBeLessThanOrEqual(BUDGETS.deliveryBytesOfClient);
    // Waiting attempts begin when running ones end, and all arrive.
    while (receiver.received.length < 40) {
      for (const response of unanswered.splice(0)) response.writeHead(204).end();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    for (const response of unanswered.splice(0)) response.writeHead(204).end();
    await quiet(app.database);
    expect(await states(app.database)).toEqual({ Reussie: 40 });
    expect(receiver.received).toHaveLength(40);
    expect(new Set(receiver.received.map(({ path }) => path)).size).toBe(40);
  });

  it('to one endpoint run within its budget', async () => {
    await silent(1);
    await tell(
      app,
      place,
      Array.from({ length: 16 }, (_, n) => large(MIB / 2, n)),
    );
    await work();
    const running = await noMore();
    expect(running * (MIB / 2)).toBeGreaterThan(BUDGETS.deliveryBytesOfEndpoint / 2);
    expect(running * (MIB / 2)).toBeLessThanOrEqual(BUDGETS.deliveryBytesOfEndpoint);
  });

  it('do not hold up another endpoint of their client, nor large bodies of another client', async () => {
    await silent(40);
    const other = await scene(app);
    await tell(app, place, [large(MIB)]);
    await work();
    await noMore();
    await register(app, place, `${receiver.url}/healthy`, ['conciliation.demandee']);
    const { json: hooks } = await app.send(place.tenant, 'GET', '/b2b/v2/webhook');
    const healthy = hooks.find(({ url }: { url: string }) => url.endsWith('/healthy'));
    await app.send(place.tenant, 'POST', `/b2b/v2/webhook/${healthy.id}/test`);
    await until('the small event arrives', () => receiver.of('/healthy').length === 1, 5_000);

    await register(app, other, `${receiver.url}/other`);
    await tell(app, other, [large(MIB)]);
    await until('the large event arrives', () => receiver.of('/other').length === 1, 5_000);
  });

  it('are read once for all endpoints that get the event at the same time', async () => {
    await silent(8);
    const [id] = await tell(app, place, [large(MIB)]);
    const { read } = await work();
    await until('all arrive', () => receiver.received.length === 8);
    expect(read).toEqual([id]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-signature'])).size).toBe(8);
  });

  it('are not sent if the event is deleted while they wait, and their jobs end', async () => {
    const ids = await silent(40);
    const [id] = await tell(app, place, [large(MIB)]);
    await work();
    const running = await noMore();
    await app.database.query('DELETE FROM evenement WHERE id_unique = $1', [id]);
    for (const response of unanswered.splice(0)) response.writeHead(204).end();
    await quiet(app.database);
    expect(receiver.received).toHaveLength(running);
    expect(ids).toHaveLength(40);
    expect(await rowsOf(app.database)).toEqual([]);
  });
});

describe('Small events', () => {
  it('are read with their deliveries', async () => {
    await register(app, place, `${receiver.url}/small`);
    await tell(
      app,
      place,
      Array.from({ length: 200 }, (_, n) => large(10_000, n)),
    );
    const { read } = await work();
    await until('all arrive', () => receiver.of('/small').length === 200);
    expect(read).toEqual([]);
  });

  it('are read when their attempt begins, if their client holds too many of them', async () => {
    await register(app, place, `${receiver.url}/small`);
    const data = Array.from({ length: 100 }, (_, n) => large(60_000, n));
    await tell(app, place, data);
    const budget = BUDGETS.waitingEventBytesOfClient;
    Object.assign(BUDGETS, { waitingEventBytesOfClient: 10 * 60_100 });
    try {
      const { read } = await work();
      await until('all arrive', () => receiver.of('/small').length === 100);
      expect(read.length).toBeGreaterThan(20);
      expect(
        receiver
          .of('/small')
          .map(({ body }) => JSON.stringify(JSON.parse(body).data))
          .sort(),
      ).toEqual([...data].sort());
    } finally {
      Object.assign(BUDGETS, { waitingEventBytesOfClient: budget });
    }
  });
});
