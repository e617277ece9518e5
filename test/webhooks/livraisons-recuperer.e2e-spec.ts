import type { INestApplication } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Receiver, until } from './support/receiver';
import { sign } from './support/signed';
import { clearQueue, type Endpoint, PATH, seedEvents, Space } from './support/space';

let app: TestApp;
let receiver: Receiver;
let space: Space;
let worker: INestApplication | undefined;

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  receiver = await Receiver.start();
});
afterAll(async () => {
  await receiver.stop();
  await app.stop();
});
beforeEach(async () => {
  await clearQueue(app);
  space = await Space.open(app);
});
afterEach(async () => {
  await worker?.close();
  worker = undefined;
});

async function work(): Promise<void> {
  worker = await startWorker(app.config);
}
async function endpointAt(body: object = {}): Promise<Endpoint & { path: string }> {
  const path = `/${randomUUID()}`;
  return { ...(await space.endpoint({ url: receiver.url + path, ...body })), path };
}
async function replay({ id }: { id: string }, depuis: string): Promise<number> {
  const answer = await space.send('POST', `${PATH}/${id}/recuperer`, { depuis });
  const { nombreLivraisons } = answer.json;
  expect([answer.status, answer.text]).toEqual([202, JSON.stringify({ nombreLivraisons })]);
  expect(answer.headers.get('location')).toBe(`${PATH}/${id}/livraisons`);
  return nombreLivraisons;
}
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
const received = (path: string): string[] =>
  receiver.of(path).map(({ headers }) => String(headers['webhook-id']));
/** Returns the events of the waiting deliveries of an endpoint, and the events of the jobs that will attempt them. */
async function waitingOf({ id }: { id: string }): Promise<{ rows: string[]; jobs: string[] }> {
  const found = await space.rows<{ turn: string; evenement: string }>(
    `SELECT id_unique || ' ' || tour AS turn, evenement_id AS evenement FROM livraison
     WHERE tenant_id = $1 AND webhook_id = $2 AND etat = 'EnAttente' ORDER BY evenement_id`,
    id,
  );
  const turns = new Map(found.map(({ turn, evenement }) => [turn, evenement]));
  const jobs = (await space.jobs()).flatMap(
    ({ livraisonId, tour }) => turns.get(`${livraisonId} ${tour}`) ?? [],
  );
  return { rows: [...turns.values()], jobs: jobs.sort() };
}

describe('POST /b2b/v2/webhook/:id/recuperer', () => {
  it('202 sends all events of the endpoint’s types since then: older than the endpoint, delivered, and of a pause', async () => {
    const early = await seedEvents(space, 3, { age: '3 hours' });
    const before = await seedEvents(space, 4, { age: '1 hour' });
    // The endpoint does not subscribe to cards.
    await seedEvents(space, 2, { type: 'adhesion.supprimee', age: '1 hour' });
    const { id, path } = await endpointAt();
    await work();
    await space.sync();
    await space.drained();
    expect(received(path)).toHaveLength(1);
    await space.replace({ id }, { url: receiver.url + path, actif: false });
    await space.sync();
    await space.sync();
    expect(await space.count('livraison')).toBe(1);
    await space.replace({ id }, { url: receiver.url + path });
    const since = (await space.eventIds('sync.terminee')).filter((one) => !early.includes(one));
    // The earlier ones, the one of the sync that prepared the test, the delivered one and two of the pause.
    expect(since).toHaveLength(before.length + 4);
    expect(await replay({ id }, hoursAgo(2))).toBe(since.length);
    await space.drained();
    expect(received(path).sort()).toEqual([...since, received(path)[0]!].sort());
    expect((await space.log(id)).map(({ etat }) => etat)).toEqual(since.map(() => 'Reussie'));
  });

  it('each replay sends all of them again, by the same delivery', async () => {
    await seedEvents(space, 5);
    const { id, path } = await endpointAt();
    await work();
    for (let round = 1; round <= 3; round++) {
      expect(await replay({ id }, '2020-01-01')).toBe(6);
      await space.drained();
      expect(received(path)).toHaveLength(6 * round);
    }
    expect(new Set(received(path)).size).toBe(6);
    expect(new Set(receiver.of(path).map(({ body }) => body)).size).toBe(6);
    const log = await space.log(id);
    expect(log.map(({ tentatives }) => tentatives.length)).toEqual(log.map(() => 3));
    expect(await space.count('livraison')).toBe(6);
  });

  it('a delivery that waits for its first attempt is left alone and not counted', async () => {
    await seedEvents(space, 2);
    const made = await endpointAt();
    await space.sync();
    expect(await replay(made, hoursAgo(2))).toBe(3);
    expect(await replay(made, hoursAgo(2))).toBe(0);
    const all = (await space.eventIds()).sort();
    expect(await waitingOf(made)).toEqual({ rows: all, jobs: all });
    await work();
    await space.drained();
    expect(received(made.path).sort()).toEqual(all);
  });

  it('failed, waiting and cancelled deliveries start again with their first attempt', async () => {
    await seedEvents(space, 3);
    const made = await endpointAt();
    await replay(made, hoursAgo(2));
    await space.rows(
      `UPDATE livraison SET essais = 4,
         etat = (ARRAY['Echouee', 'Annulee', 'EnAttente', 'Reussie'])[place],
         prochaine_tentative = CASE WHEN place = 3 THEN now() + interval '1 day' END
       FROM (SELECT id_unique AS id, row_number() OVER (ORDER BY id_unique) AS place FROM livraison
             WHERE tenant_id = $1) l WHERE tenant_id = $1 AND id_unique = l.id`,
    );
    expect(await replay(made, hoursAgo(2))).toBe(4);
    const all = (await space.eventIds()).sort();
    expect(await waitingOf(made)).toEqual({ rows: all, jobs: all });
    expect(await space.rows('SELECT FROM livraison WHERE tenant_id = $1 AND essais > 0')).toEqual([]);
    await work();
    await space.drained();
    expect(received(made.path).sort()).toEqual(all);
  });

  it('the time is exact to the millisecond, inclusive, and may have any offset', async () => {
    const [first, second] = await seedEvents(space, 2, { type: 'adhesion.signee' });
    const made = await endpointAt({ types: ['adhesion.signee'] });
    const dates = await space.rows<{ date: Date }>(
      `SELECT date_creation AS date FROM evenement WHERE tenant_id = $1 AND type = 'adhesion.signee' ORDER BY 1`,
    );
    const [one, two] = dates.map(({ date }) => date.getTime()) as [number, number];
    const cancel = () => space.rows(`UPDATE livraison SET essais = 1 WHERE tenant_id = $1`);
    const at = (ms: number) => new Date(ms).toISOString();
    expect(await replay(made, at(two + 1))).toBe(0);
    expect(await replay(made, at(two))).toBe(1);
    expect((await waitingOf(made)).rows).toEqual([second]);
    await cancel();
    expect(await replay(made, at(one + 1))).toBe(1);
    await cancel();
    const offset = at(one - 5 * 3_600_000).replace('Z', '-05:00');
    expect(await replay(made, offset)).toBe(2);
    expect((await waitingOf(made)).rows).toEqual([first, second].sort());
    expect(await replay(made, '9999-12-31T23:59:59Z')).toBe(0);
  });

  it('events of other tenants are not sent, and no other endpoint gets any', async () => {
    await seedEvents(await Space.open(app), 3);
    const [made, other] = [await endpointAt(), await endpointAt()];
    expect(await replay(made, '2020-01-01')).toBe(1);
    expect(await waitingOf(other)).toEqual({ rows: [], jobs: [] });
  });

  it('earlier test events are not sent; a type that was added later is', async () => {
    const { id, path } = await endpointAt();
    await space.send('POST', `${PATH}/${id}/test`);
    await sign(app, space);
    await space.replace({ id }, { url: receiver.url + path, types: ['adhesion.signee'] });
    expect(await replay({ id }, '2020-01-01')).toBe(1);
    await work();
    await space.drained();
    expect(received(path).sort()).toEqual(
      [...(await space.eventIds('webhook.test')), ...(await space.eventIds('adhesion.signee'))].sort(),
    );
  });

  it('ten replays at once during new events give each event one delivery with one job', async () => {
    await seedEvents(space, 300);
    const made = await endpointAt();
    const [counts] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => replay(made, '2020-01-01'))),
      Promise.all(Array.from({ length: 10 }, () => space.sync())),
    ]);
    // The first replay took the events and the others found them waiting: only newer events may be added.
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(311);
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(301);
    const all = (await space.eventIds()).sort();
    expect(all).toHaveLength(311);
    expect(await waitingOf(made)).toEqual({ rows: all, jobs: all });
  });

  it('12,000 events in one call get a job each; another call sends all of them again', async () => {
    const ids = await seedEvents(space, 12_000, { type: 'adhesion.signee' });
    const made = await endpointAt({ types: ['adhesion.signee'] });
    expect(await replay(made, hoursAgo(2))).toBe(12_000);
    const sorted = [...ids].sort();
    expect(await waitingOf(made)).toEqual({ rows: sorted, jobs: sorted });
    expect(await replay(made, hoursAgo(2))).toBe(0);
    await space.rows(
      `UPDATE livraison SET etat = 'Reussie', prochaine_tentative = NULL WHERE tenant_id = $1`,
    );
    expect(await replay(made, hoursAgo(2))).toBe(12_000);
    expect(await waitingOf(made)).toEqual({ rows: sorted, jobs: sorted });
    expect(await space.jobs()).toHaveLength(12_000);
  });

  it('again and again, while attempts fail that are to be repeated in a day, leaves one job of each delivery', async () => {
    await seedEvents(space, 20);
    const { id, path } = await endpointAt();
    receiver.behaviours.set(path, (_request, response) => {
      response.writeHead(503, { 'Retry-After': '86400' }).end();
    });
    await work();
    const failed = (times: number): Promise<void> =>
      until('all have failed', async () => {
        const log = await space.log(id);
        return log.length === 21 && log.every(({ tentatives }) => tentatives.length === times);
      });
    for (let round = 1; round <= 3; round++) {
      expect(await replay({ id }, '2020-01-01')).toBe(21);
      await failed(round);
    }
    await space.send('POST', `${PATH}/${id}/livraisons/${(await space.log(id))[0].id}/renvoyer`);
    await until('one more arrived', () => received(path).length === 3 * 21 + 1);
    await until('its job waits', async () => (await waitingOf({ id })).jobs.length === 21);
    // The job of an attempt is removed after the next one is written.
    await until('each delivery has one job', async () => (await space.jobs()).length === 21);
  });
});
