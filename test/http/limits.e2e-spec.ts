import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Client } from 'pg';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { eventually, expectFaults, expectProblem } from './expect-problem';
import { perFile } from '../setup/fixtures';
import { lockWaits, waitingNow } from '../setup/lock-waits';

const EMPLOYE = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
const MEGABYTE = 2 ** 20;
const SYNC = '/b2b/v1/employe/sync';

// Without standbys: the tests hold and cancel statements of the primary.
const app = perFile(() => TestApp.start({ standbys: new Map() }));
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await app.tenant();
});

/** Returns the JSON text of an object, padded with spaces to `size` bytes. */
function padded(body: object, size: number): string {
  const text = JSON.stringify(body);
  return text + ' '.repeat(size - Buffer.byteLength(text));
}

const post = (body: string | Uint8Array, headers: Record<string, string> = {}, path = '/b2b/v1/employe') =>
  app.send(tenant, 'POST', path, body, headers);

/** Sends a body in chunks, without its length. */
async function stream(
  path: string,
  chunks: Buffer[],
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const request = httpRequest(app.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  request.on('error', () => undefined);
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  for (const chunk of chunks) request.write(chunk);
  request.end();
  const [response] = await answered;
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode!, text };
}

describe('the size of a body', () => {
  it('is at most 1 MB, to the byte, else 413 Requete.TropVolumineuse', async () => {
    expect((await post(padded({ ...EMPLOYE, idExterne: 'MB' }, MEGABYTE))).status).toBe(201);
    expectProblem(await post(padded(EMPLOYE, MEGABYTE + 1)), 413, 'Requete.TropVolumineuse');
  });

  it('counts the received bytes, with or without a Content-Length, and the decompressed size', async () => {
    const chunks = Array.from({ length: 20 }, () => Buffer.alloc(MEGABYTE / 10, ' '));
    expect(await stream('/b2b/v1/employe', chunks, { 'X-Api-Key': tenant.cle })).toMatchObject({
      status: 413,
    });
    const bomb = gzipSync(padded(EMPLOYE, 20 * MEGABYTE));
    expect(bomb.length).toBeLessThan(MEGABYTE);
    expectProblem(await post(bomb, { 'Content-Encoding': 'gzip' }), 413, 'Requete.TropVolumineuse');
    const small = gzipSync(JSON.stringify({ ...EMPLOYE, idExterne: 'GZ' }));
    expect((await post(small, { 'Content-Encoding': 'gzip' })).status).toBe(201);
    const zstd = zstdCompressSync(JSON.stringify({ ...EMPLOYE, idExterne: 'ZS' }));
    expect((await post(zstd, { 'Content-Encoding': 'zstd' })).status).toBe(201);
    expectProblem(await post(zstd.subarray(0, 40), { 'Content-Encoding': 'zstd' }), 400, 'Requete.Invalide');
    expectProblem(await post(small, { 'Content-Encoding': 'zstd' }), 400, 'Requete.Invalide');
    const zstdBomb = zstdCompressSync(padded(EMPLOYE, 20 * MEGABYTE));
    expectProblem(await post(zstdBomb, { 'Content-Encoding': 'zstd' }), 413, 'Requete.TropVolumineuse');
    expectProblem(await post(small, { 'Content-Encoding': 'zip' }), 415, 'Requete.TypeNonSupporte');
  });

  it('a sync accepts up to 64 MB: 20 MB of records are written', async () => {
    const employes = Array.from({ length: 25_000 }, (_, index) => ({
      ...{
        idExterne: `S-${index}`,
        prenom: 'Zoé'.repeat(80),
        nom: 'R'.repeat(250),
        adresse1: 'é'.repeat(125),
      },
    }));
    const body = JSON.stringify({ employes });
    expect(Buffer.byteLength(body)).toBeGreaterThan(20 * MEGABYTE);
    const answer = await post(body, {}, SYNC);
    expect([answer.status, answer.json]).toEqual([200, { created: 25_000, updated: 0, errors: [] }]);
  });

  it('a sync accepts exactly 64 MB and not a byte more', async () => {
    expect((await post(padded({ employes: [] }, 64 * MEGABYTE), {}, SYNC)).json).toEqual({
      created: 0,
      updated: 0,
      errors: [],
    });
    expectProblem(
      await post(padded({ employes: [] }, 64 * MEGABYTE + 1), {}, SYNC),
      413,
      'Requete.TropVolumineuse',
    );
  });

  it('a caller without access is rejected before the body is read', async () => {
    const endless = Buffer.alloc(MEGABYTE, ' ');
    const refused = await stream(SYNC, Array<Buffer>(8).fill(endless), { 'X-Api-Key': 'nobody' });
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'Cle.Invalide' });
    expectProblem(await app.send('nobody', 'POST', SYNC, '{"employes":'), 401, 'Cle.Invalide');
  });

  it('a body that breaks off has no effect', async () => {
    const request = httpRequest(`${app.url}/b2b/v1/employe`, {
      method: 'POST',
      headers: { 'X-Api-Key': tenant.cle, 'Content-Type': 'application/json', 'Content-Length': '1000' },
    });
    request.on('error', () => undefined);
    request.write(JSON.stringify({ ...EMPLOYE, idExterne: 'BROKEN' }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    request.destroy();
    expect((await app.send(tenant, 'GET', '/b2b/v1/employe/BROKEN')).status).toBe(404);
  });
});

describe('the content of a body', () => {
  const properties = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`inconnu${index}`, 1]));
  const NAMES = 'must have at most 1,000 different property names';

  it.each(['/b2b/v1/employe', SYNC])(
    '%s: too many names are rejected before they are parsed',
    async (path) => {
      const answer = await post(JSON.stringify(properties(60_000)), {}, path);
      expectFaults(answer, { '': 'json' });
      expect(answer.json.detail).toBe(`the body ${NAMES}`);
    },
  );

  it('a record of a sync with too many names is that record’s error', async () => {
    const employes = [{ ...EMPLOYE, idExterne: 'SOUND' }, properties(60_000)];
    const { status, json } = await post(JSON.stringify({ employes }), {}, SYNC);
    expect([status, json.created]).toEqual([200, 1]);
    expect(json.errors).toEqual([expect.objectContaining({ message: `employes[1]: the record ${NAMES}` })]);
  });

  it('the first hundred of more unknown properties are listed', async () => {
    const answer = await post(JSON.stringify(properties(900)));
    expectProblem(answer, 400, 'Requete.Invalide');
    expect(answer.json.errors).toHaveLength(100);
    expect(answer.json.detail).toBe(
      'The first 100 faults are listed in errors; there may be more. Correct them and send the request again.',
    );
  });
});

describe('the records of a sync', () => {
  it('are at most 250,000 over its lists, else 413 Requete.TropVolumineuse and nothing is written', async () => {
    const first = JSON.stringify({ ...EMPLOYE, idExterne: 'FIRST' });
    const body = (more: number): string => `{"employeurs":[0,0],"employes":[${first}${',0'.repeat(more)}]}`;
    expectProblem(await post(body(249_998), {}, SYNC), 413, 'Requete.TropVolumineuse');
    expect((await app.send(tenant, 'GET', '/b2b/v1/employe/FIRST')).status).toBe(404);
    const { status, json } = await post(body(249_997), {}, SYNC);
    expect([status, json.created, json.errors.length]).toEqual([200, 1, 249_999]);
  });
});

describe('a body that is rejected before it has arrived', () => {
  /**
   * Sends the whole request before reading, like simple clients.
   *
   * @returns the status, or the reason why there is none
   */
  async function sendWhole(path: string, key: string, bytes: number): Promise<string> {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    const answer = once(socket, 'data') as Promise<[Buffer]>;
    const head = `POST ${path} HTTP/1.1\r\nHost: mandat\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
    try {
      socket.write(head);
      for (let sent = 0; sent < bytes; sent += 2 ** 16) {
        if (!socket.write(Buffer.alloc(Math.min(2 ** 16, bytes - sent), ' '))) await once(socket, 'drain');
      }
      return /^HTTP\/1.1 (\d+)/.exec((await answer)[0].toString())![1]!;
    } catch (error) {
      answer.catch(() => undefined);
      return (error as NodeJS.ErrnoException).code!;
    } finally {
      socket.destroy();
    }
  }

  it.each<[status: string, path: string, key: () => string, bytes: number]>([
    ['413', '/b2b/v1/employe', () => tenant.cle, 8 * MEGABYTE],
    ['413', SYNC, () => tenant.cle, 66 * MEGABYTE],
    ['401', SYNC, () => 'nobody', 8 * MEGABYTE],
    ['404', '/b2b/v1/nowhere', () => tenant.cle, 8 * MEGABYTE],
  ])('the response is %s for a client that sends it all first: POST %s', async (status, path, key, bytes) => {
    expect(await sendWhole(path, key(), bytes)).toBe(status);
  });
});

describe('a body that does not arrive', () => {
  /**
   * Begins a sync and sends only this part of its body.
   *
   * @returns the response
   */
  function begin(sender: TestTenant, sent: string): Promise<[IncomingMessage]> {
    const headers = { 'X-Api-Key': sender.cle, 'Content-Type': 'application/json' };
    const request = httpRequest(app.url + SYNC, { method: 'POST', headers });
    request.on('error', () => undefined);
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    request.write(sent);
    return answered;
  }

  it('408 Requete.Interrompue after ten seconds; meanwhile other tenants can sync', async () => {
    const tenants = await Promise.all(Array.from({ length: 6 }, () => app.tenant()));
    const stalled = tenants.map((sender) => begin(sender, '{"employes":['));
    let answers = 0;
    for (const answer of stalled) void answer.then(() => answers++);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const small = await post(
      JSON.stringify({ employes: [{ ...EMPLOYE, idExterne: 'MEANWHILE' }] }),
      {},
      SYNC,
    );
    expect([small.status, answers]).toEqual([200, 0]);
    for (const [response] of await Promise.all(stalled)) {
      expect([response.statusCode, response.headers.connection]).toEqual([408, 'close']);
    }
  });
});

describe('a tenant whose writes wait for each other', () => {
  it('other tenants can write', async () => {
    const rival = await app.connect();
    await post(JSON.stringify({ ...EMPLOYE, idExterne: 'CROWD' }));
    await rival.query('BEGIN');
    await rival.query(`SELECT FROM employe WHERE id_externe = 'CROWD' FOR UPDATE`);
    const put = { ...EMPLOYE, idExterne: 'CROWD', prenom: 'Ève' };
    const crowd = Array.from({ length: 20 }, () => app.send(tenant, 'PUT', '/b2b/v1/employe', put));
    const isCrowded = async () => (await waitingNow(app.database)).length === app.config.poolSize / 2;
    await eventually(async () => (await isCrowded()) || undefined, 'The crowd');
    const other = await app.send(await app.tenant(), 'POST', '/b2b/v1/employe', EMPLOYE);
    expect(await isCrowded()).toBe(true);
    await rival.query('ROLLBACK');
    await rival.end();
    expect(other.status).toBe(201);
    expect(new Set((await Promise.all(crowd)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('a statement past the time limit', () => {
  let saboteur: Client;

  beforeAll(async () => {
    saboteur = await app.connect();
    await post(JSON.stringify({ ...EMPLOYE, idExterne: 'SLOW' }));
  });

  /** Holds the table until the request waits for it, then cancels its statement like a time limit. */
  async function interrupted(send: () => Promise<Answer>, end = 'pg_cancel_backend'): Promise<Answer> {
    await saboteur.query('BEGIN');
    await saboteur.query('LOCK TABLE employe IN ACCESS EXCLUSIVE MODE');
    try {
      const running = send();
      const waiting = await lockWaits(app.database);
      await app.database.query(`SELECT ${end}(pid) FROM unnest($1::int[]) pid`, [waiting]);
      return await running;
    } finally {
      await saboteur.query('ROLLBACK');
    }
  }

  function expectUnavailable(answer: Answer): void {
    expectProblem(answer, 503, 'Service.Indisponible');
    expect(answer.headers.get('retry-after')).toBe('1');
  }

  it('is 30 s, and 20 s for a lock, on every connection of both pools', async () => {
    const transactions = app.app.get(Transactions);
    const limits = {
      name: 'limits',
      text: `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`,
      values: [],
    };
    const read = () => transactions.query({ tenantId: tenant.tenantId }, limits);
    expect(await read()).toEqual([{ statement: '30s', lock: '20s' }]);
    expect(await transactions.run({ tenantId: tenant.tenantId }, read)).toEqual([
      { statement: '30s', lock: '20s' },
    ]);
  });

  it.each([
    ['a read', 'GET', '/b2b/v1/employe/SLOW', undefined],
    ['a list', 'GET', '/b2b/v1/employe', undefined],
    ['a creation', 'POST', '/b2b/v1/employe', EMPLOYE],
    ['a change', 'PUT', '/b2b/v1/employe', { ...EMPLOYE, idExterne: 'SLOW', prenom: 'Ève' }],
    ['a deletion', 'DELETE', '/b2b/v1/employe/SLOW', undefined],
    ['a sync', 'POST', SYNC, { employes: [EMPLOYE] }],
  ])('%s is 503 Service.Indisponible, and nothing is changed', async (_what, method, path, body) => {
    expectUnavailable(await interrupted(() => app.send(tenant, method, path, body)));
    expect((await app.send(tenant, 'GET', '/b2b/v1/employe/SLOW')).json.prenom).toBe('Zoé');
    expect((await app.send(tenant, 'GET', '/b2b/v1/employe/E-1')).status).toBe(404);
  });

  it('with an Idempotency-Key it is not recorded: the repeated request does the work', async () => {
    const headers = { 'Idempotency-Key': 'slow' };
    const sent = { ...EMPLOYE, idExterne: 'LATER' };
    expectUnavailable(await interrupted(() => app.send(tenant, 'POST', '/b2b/v1/employe', sent, headers)));
    const repeat = await app.send(tenant, 'POST', '/b2b/v1/employe', sent, headers);
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  it('503 also for a write whose connection is lost; the next request gets another connection', async () => {
    const create = () => app.send(tenant, 'POST', '/b2b/v1/employe', { ...EMPLOYE, idExterne: 'LOST' });
    expectUnavailable(await interrupted(create, 'pg_terminate_backend'));
    expect((await create()).status).toBe(201);
  });
});

describe('the ids of a request', () => {
  const ask = (headers: Record<string, string>) =>
    app.send(undefined, 'GET', '/b2b/v1/moi', undefined, headers);
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

  it('are generated if the caller sends none, and returned', async () => {
    const [one, two] = [await ask({}), await ask({})];
    const id = one.headers.get('x-request-id');
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(two.headers.get('x-request-id')).not.toBe(id);
    expect(one.headers.get('traceparent')).toBe(
      `00-${one.json.traceId}-${one.headers.get('traceparent')!.split('-')[2]}-01`,
    );
    expect(one.json.instance).toBe(`urn:request:${id}`);
  });

  it('are those of the caller if they are well-formed', async () => {
    const answer = await ask({ 'X-Request-Id': 'mine/1', traceparent: `00-${TRACE}-00f067aa0ba902b7-00` });
    expect(answer.headers.get('x-request-id')).toBe('mine/1');
    expect(answer.headers.get('traceparent')).toMatch(
      new RegExp(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-00$`),
    );
    expect(answer.json).toMatchObject({ traceId: TRACE, instance: 'urn:request:mine%2F1' });
  });

  it.each(['x'.repeat(129), 'two words', '\u00e9', 'zoe@exemple.org', '{"a":1}', '<b>', 'a%0a', "a'b"])(
    'are generated in place of the request id "%s"',
    async (sent) => {
      expect((await ask({ 'X-Request-Id': sent })).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it.each([
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}`,
    'ff',
  ])('are generated in place of the traceparent %s', async (traceparent) => {
    const { json } = await ask({ traceparent });
    expect(json.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect([TRACE, '0'.repeat(32)]).not.toContain(json.traceId);
  });
});
