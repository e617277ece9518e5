import type { INestApplication } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, INSTANT, walk } from '../membership/synced';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { type Behaviour, Receiver, until } from './support/receiver';
import { ShiftedClock } from './support/shifted-clock';
import { clearQueue, type Endpoint, PATH, Space } from './support/space';

let app: TestApp;
let clock: ShiftedClock;
let receiver: Receiver;
let space: Space;
let worker: INestApplication | undefined;

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  clock = await ShiftedClock.install(app.database);
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
  worker = await startWorker(app.config, { clock });
}
/**
 * Registers an endpoint whose receiver has its own path.
 *
 * @returns both
 */
async function endpointAt(behave?: Behaviour, body: object = {}): Promise<Endpoint & { path: string }> {
  const path = `/${randomUUID()}`;
  if (behave) receiver.behaviours.set(path, behave);
  return { ...(await space.endpoint({ url: receiver.url + path, ...body })), path };
}
const answers =
  (status: number, body: string | Buffer = ''): Behaviour =>
  (_received, response) =>
    void response.writeHead(status).end(body);

const resend = (id: string, livraisonId: string) =>
  space.send('POST', `${PATH}/${id}/livraisons/${livraisonId}/renvoyer`);
/** Waits until no job is due or running: the jobs left in the queue are for later. */
const idle = () =>
  until('nothing is due', async () => {
    const { rows } = await app.database.query(
      `SELECT FROM pgboss.job WHERE name = 'livraison' AND state < 'completed'
         AND (state = 'active' OR start_after <= pgboss.job_now())`,
    );
    return rows.length === 0;
  });
/**
 * Waits until the newest delivery of an endpoint has this number of attempts.
 *
 * @returns the delivery
 */
async function attempted(id: string, count: number) {
  let item = (await space.log(id))[0];
  await until(`${count} attempts`, async () => {
    item = (await space.log(id))[0];
    return item?.tentatives.length === count;
  });
  return item;
}

describe('GET /b2b/v2/webhook/:id/livraisons', () => {
  it('200 with exactly these properties, newest first, with each attempt', async () => {
    const { id, path } = await endpointAt((_received, response) => {
      const count = receiver.of(path).length;
      response.writeHead(count === 1 ? 503 : 200).end(count === 1 ? 'Fermé.' : '{"ok":true}');
    });
    await space.sync();
    const [waiting] = await space.log(id);
    expect(waiting).toEqual({
      ...{ id: expect.stringMatching(GUID), evenementId: (await space.eventIds())[1], type: 'sync.terminee' },
      ...{ etat: 'EnAttente', tentatives: [], prochaineTentative: expect.stringMatching(INSTANT) },
    });
    await work();
    const failed = await attempted(id, 1);
    const attempt = (statut: number, reponse: string) => ({
      ...{ date: expect.stringMatching(INSTANT), statut, dureeMs: expect.any(Number), reponse },
    });
    expect(failed).toEqual({
      ...waiting,
      tentatives: [attempt(503, 'Fermé.')],
      prochaineTentative: expect.stringMatching(INSTANT),
    });
    expect(failed.prochaineTentative > failed.tentatives[0].date).toBe(true);
    await clock.moveTo(new Date(Date.parse(failed.prochaineTentative) + 1));
    expect(await attempted(id, 2)).toEqual({
      ...{ ...waiting, etat: 'Reussie', prochaineTentative: null },
      tentatives: [attempt(503, 'Fermé.'), attempt(200, '{"ok":true}')],
    });
    await space.send('POST', `${PATH}/${id}/test`);
    expect((await space.log(id)).map(({ type }) => type)).toEqual(['webhook.test', 'sync.terminee']);
    expect(Object.keys((await space.log(id))[1].tentatives[0])).toEqual([
      ...['date', 'statut', 'dureeMs', 'reponse'],
    ]);
  });

  it('200 by pages, each delivery once, of this endpoint only', async () => {
    const [one, other] = [await endpointAt(), await endpointAt()];
    for (let n = 0; n < 7; n++) await space.sync();
    const all = await space.log(one.id);
    const ids = (await space.eventIds()).slice(1).reverse();
    expect(all.map(({ evenementId }) => evenementId)).toEqual(ids);
    for (const limite of [1, 3, 7, 100]) {
      const pages = await walk(app, space.tenant, `${PATH}/${one.id}/livraisons?limite=${limite}`);
      expect(pages.flat()).toEqual(all);
      expect(Math.max(...pages.map(({ length }) => length))).toBe(Math.min(limite, 7));
    }
    expectFaults(await space.send('GET', `${PATH}/${one.id}/livraisons?etat=Echouee`), {
      '?etat': 'unknown',
    });
    const [{ id }] = await space.log(other.id);
    expect(all.map((item) => item.id)).not.toContain(id);
  });

  it('200 for one delivery, as in the list; 304 for its ETag; 404 under another endpoint', async () => {
    const [one, other] = [await endpointAt(), await endpointAt()];
    await space.sync();
    const list = await space.send('GET', `${PATH}/${one.id}/livraisons`);
    const path = `${PATH}/${one.id}/livraisons/${list.json[0].id}`;
    const read = await space.send('GET', path);
    expect([read.status, `[${read.text}]`]).toEqual([200, list.text]);
    const headers = { 'If-None-Match': read.headers.get('etag')! };
    expect((await space.send('GET', path, undefined, headers)).status).toBe(304);
    const missing = [];
    for (const [of, id] of [
      [other.id, list.json[0].id],
      [one.id, randomUUID()],
      [one.id, 'L-1'],
    ])
      missing.push(await space.send('GET', `${PATH}/${of}/livraisons/${id}`));
    for (const answer of missing) {
      expectProblem(answer, 404, 'Livraison.NotFound');
      expect(comparable(answer)).toEqual(comparable(missing[0]!));
    }
    const stranger = await Space.open(app);
    expectProblem(await stranger.send('GET', path), 404, 'Webhook.NotFound');
  });

  it('202 of test and renvoyer has the delivery in Location, which returns it', async () => {
    const { id } = await endpointAt();
    const tested = await space.send('POST', `${PATH}/${id}/test`);
    expect(tested.headers.get('location')).toBe(`${PATH}/${id}/livraisons/${tested.json.id}`);
    expect(tested.json).toMatchObject({ type: 'webhook.test', etat: 'EnAttente', tentatives: [] });
    expect((await space.send('GET', tested.headers.get('location')!)).text).toBe(tested.text);
    const again = await resend(id, tested.json.id);
    expect((await space.send('GET', again.headers.get('location')!)).text).toBe(again.text);
  });
});

describe('The part of a response that the log keeps', () => {
  const A = (count: number): string => 'a'.repeat(count);
  it.each<[string, string | Buffer, string]>([
    ['nothing of an empty one', '', ''],
    ['all of 1,024 bytes', A(1_024), A(1_024)],
    ['the first 1,024 bytes of a longer one', A(1_024) + 'b', A(1_024)],
    ['the first 1,024 bytes of 3 MB', A(3_000_000), A(1_024)],
    ['a character of two bytes that ends at the border', `${A(1_022)}éb`, `${A(1_022)}é`],
    ['not half of a character of two bytes', `${A(1_023)}éb`, A(1_023)],
    ['not a part of a character of three bytes', `${A(1_022)}€`, A(1_022)],
    ['not a part of a character of four bytes', `${A(1_021)}🙂`, A(1_021)],
    ['a character of four bytes that ends at the border', `${A(1_020)}🙂🙂`, `${A(1_020)}🙂`],
    ['no U+0000', 'a\0b\0\0c', 'abc'],
    ['nothing of U+0000 alone', Buffer.alloc(2_000), ''],
    ['replacement characters for bytes that are not text', Buffer.from([0xff, 0xfe, 0x41, 0x80]), '��A�'],
    ['replacement characters for half of a surrogate pair', Buffer.from('eda0bd41', 'hex'), '���A'],
    [
      'quotes, control characters and markup as they are',
      '"\\\u0001\u001b\n\r</script>',
      '"\\\u0001\u001b\n\r</script>',
    ],
  ])('%s', async (_what, body, kept) => {
    const { id } = await endpointAt(answers(400, body));
    await space.sync();
    await work();
    const item = await attempted(id, 1);
    expect(item.tentatives[0]).toMatchObject({ statut: 400, reponse: kept });
    const [row] = await space.rows<{ reponse: string }>(
      `SELECT tentatives->0->>'reponse' AS reponse FROM livraison WHERE tenant_id = $1`,
    );
    expect(row!.reponse).toBe(kept);
    await idle();
  });

  it('every possible byte, sent as single bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    const { id } = await endpointAt((_received, response) => {
      response.writeHead(500);
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end('é€🙂');
    });
    await space.sync();
    await work();
    const { tentatives } = await attempted(id, 1);
    const text = new TextDecoder().decode(Buffer.concat([bytes, Buffer.from('é€🙂')]));
    expect(tentatives[0].reponse).toBe(text.replaceAll('\0', ''));
  });

  it.each([
    ['100', ['100 Continue']],
    ['100 several times', Array<string>(20).fill('100 Continue')],
    ['102 and 103', ['102 Processing', '103 Early Hints\r\nLink: </style.css>; rel=preload']],
  ])('the status of the final response, after unasked informational ones: %s', async (_what, lines) => {
    const { id } = await endpointAt((_received, _response, socket) => {
      for (const line of lines) socket.write(`HTTP/1.1 ${line}\r\n\r\n`);
      socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 4\r\n\r\ndone');
    });
    await space.sync();
    await work();
    expect((await attempted(id, 1)).tentatives).toMatchObject([{ statut: 202, reponse: 'done' }]);
  });

  it.each([
    ['an informational response only', 'HTTP/1.1 100 Continue\r\n\r\n'],
    [
      'an unasked change of the protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
  ])('no status after %s', async (_what, text) => {
    const { id } = await endpointAt((_received, _response, socket) => void socket.end(text));
    await space.sync();
    await work();
    expect((await attempted(id, 1)).tentatives).toMatchObject([
      { statut: null, reponse: 'The connection was closed before an answer.' },
    ]);
  });

  it('the reason without a status, if there was no response', async () => {
    const { id } = await endpointAt((_received, _response, socket) => void socket.destroy());
    await space.sync();
    await work();
    expect((await attempted(id, 1)).tentatives).toEqual([
      {
        ...{ date: expect.stringMatching(INSTANT), statut: null, dureeMs: expect.any(Number) },
        reponse: 'The connection was closed before an answer.',
      },
    ]);
  });
});

describe('POST /b2b/v2/webhook/:id/livraisons/:livraisonId/renvoyer', () => {
  /** Returns the requests of a receiver: id and body. */
  const sent = (path: string) =>
    receiver.of(path).map(({ headers, body }) => ({ id: headers['webhook-id'], body }));

  it('202 sends a delivery that succeeded once more: the same webhook-id, the same body', async () => {
    const { id, path } = await endpointAt();
    await space.sync();
    await work();
    const first = await attempted(id, 1);
    await idle();
    const answer = await resend(id, first.id);
    expect([answer.status, answer.json]).toEqual([
      202,
      { ...first, etat: 'EnAttente', prochaineTentative: expect.stringMatching(INSTANT) },
    ]);
    const second = await attempted(id, 2);
    expect(second).toMatchObject({ id: first.id, etat: 'Reussie', prochaineTentative: null });
    expect(second.tentatives[0]).toEqual(first.tentatives[0]);
    await idle();
    expect(sent(path)).toEqual([sent(path)[0], sent(path)[0]]);
    expect(sent(path)[0]!.id).toBe(first.evenementId);
    expect([await space.count('livraison'), await space.count('evenement')]).toEqual([1, 2]);
  });

  it('202 sends a delivery that has finally failed, by the whole schedule', async () => {
    const { id, path } = await endpointAt(answers(500));
    await space.sync();
    await space.rows('UPDATE livraison SET essais = 9 WHERE tenant_id = $1');
    await work();
    const failed = await attempted(id, 1);
    expect([failed.etat, failed.prochaineTentative]).toEqual(['Echouee', null]);
    expect((await resend(id, failed.id)).status).toBe(202);
    const again = await attempted(id, 2);
    expect(again.etat).toBe('EnAttente');
    const delayMs = Date.parse(again.prochaineTentative) - Date.parse(again.tentatives[1].date);
    // The first delay of the schedule, not the last: five seconds instead of a day.
    expect(delayMs).toBeGreaterThanOrEqual(5_000);
    expect(delayMs).toBeLessThan(60_000);
    expect(await space.rows('SELECT essais FROM livraison WHERE tenant_id = $1')).toEqual([{ essais: 1 }]);
    await idle();
    expect(sent(path)).toHaveLength(2);
  });

  it('202 sends a delivery that waits for its second attempt at once, and not again at its time', async () => {
    const { id, path } = await endpointAt(answers(500));
    // The negative control: without a resend, a waiting job sends the delivery at its time.
    const control = await endpointAt(answers(500));
    await space.sync();
    await work();
    const failed = await attempted(id, 1);
    const other = await attempted(control.id, 1);
    await idle();
    receiver.behaviours.delete(path);
    expect((await resend(id, failed.id)).status).toBe(202);
    const sentAgain = await attempted(id, 2);
    expect([sentAgain.etat, sentAgain.tentatives[0]]).toEqual(['Reussie', failed.tentatives[0]]);
    await idle();
    const earlier = async () => (await space.jobs()).filter(({ webhookId }) => webhookId === id).length;
    expect(await earlier()).toBe(0);
    const times = [failed, other].map(({ prochaineTentative }) => Date.parse(prochaineTentative));
    await clock.moveTo(new Date(Math.max(...times) + 1));
    await attempted(control.id, 2);
    expect([sent(path).length, sent(control.path).length]).toEqual([2, 2]);
    expect(await attempted(id, 2)).toEqual(sentAgain);
  });

  it('202 three times before any attempt gives exactly one request and one job', async () => {
    const { id, path } = await endpointAt();
    await space.sync();
    const [{ id: livraisonId }] = await space.log(id);
    for (let n = 0; n < 3; n++) expect((await resend(id, livraisonId)).status).toBe(202);
    expect((await space.jobs()).map(({ tour }) => tour).sort()).toEqual([3]);
    await work();
    await space.drained();
    expect(sent(path)).toHaveLength(1);
    expect((await attempted(id, 1)).etat).toBe('Reussie');
  });

  it('202 for twenty resends at once gives one request or more, and the log has each attempt that counts', async () => {
    const { id, path } = await endpointAt();
    await space.sync();
    const [{ id: livraisonId }] = await space.log(id);
    await work();
    await attempted(id, 1);
    const all = await Promise.all(Array.from({ length: 20 }, () => resend(id, livraisonId)));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 202));
    await space.drained();
    const [item] = await space.log(id);
    expect(item.etat).toBe('Reussie');
    expect(item.tentatives.length).toBeGreaterThanOrEqual(2);
    expect(sent(path).length).toBeGreaterThanOrEqual(item.tentatives.length);
    expect(new Set(sent(path).map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it('202 sends a delivery that was cancelled while its endpoint was paused', async () => {
    const { id, path } = await endpointAt();
    await space.sync();
    const paused = { url: receiver.url + path, actif: false };
    await space.replace({ id }, paused);
    await work();
    await until('cancelled', async () => (await space.log(id))[0].etat === 'Annulee');
    const [cancelled] = await space.log(id);
    expect([cancelled.tentatives, cancelled.prochaineTentative]).toEqual([[], null]);
    await idle();
    expect(sent(path)).toEqual([]);
    await space.replace({ id }, { ...paused, actif: true });
    expect((await resend(id, cancelled.id)).status).toBe(202);
    expect((await attempted(id, 1)).etat).toBe('Reussie');
    expect(sent(path)).toHaveLength(1);
  });
});
