import { ConnectionError, idempotencyKey, partenaire, ProblemError, type Wait } from '@mandat/client';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (response: ServerResponse, seen: Seen) => void;

const MOI = { client: 'C', environnement: 'staging', modules: [] };
const INPUT = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response
      .writeHead(status, {
        'Content-Type': status < 400 ? 'application/json' : 'application/problem+json; charset=utf-8',
        ...headers,
      })
      .end(JSON.stringify(body));

const refusal = (status: number, code: string, headers?: Record<string, string>): Answer =>
  json(
    status,
    { type: `http://localhost/docs/erreurs#${code}`, title: 'T', status, detail: 'D', code },
    headers,
  );

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

const broken: Answer = (response) => response.socket!.destroy();

describe('The transport of the client', () => {
  let server: Server;
  let address: string;
  let answers: Answer[];
  let seen: Seen[];
  let waits: Wait[];
  let slept: number[];

  beforeAll(async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        const { method, url, headers } = request;
        seen.push({ method: method!, url: url!, headers, body });
        const answer = answers.shift();
        if (answer) answer(response, seen.at(-1)!);
        else response.writeHead(500).end('one request too many');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    [answers, seen, waits, slept] = [[], [], [], []];
  });

  const connect = (options: Partial<Parameters<typeof partenaire>[0]> = {}) =>
    partenaire({
      address,
      key: 'mdt_stg_k',
      onWait: (wait) => void waits.push(wait),
      sleep: async (seconds) => void slept.push(seconds),
      ...options,
    });

  /** Returns the error of a call. */
  const thrown = async (call: Promise<unknown>): Promise<unknown> => {
    try {
      return await call.then(() => 'nothing');
    } catch (error) {
      return error;
    }
  };

  it('sends the key with each request, also to an address that ends in a slash', async () => {
    answers = [json(200, MOI)];
    const { data, response } = await connect({ address: `${address}/` }).moi.get();
    expect(data).toEqual(MOI);
    expect(response.status).toBe(200);
    expect(seen).toMatchObject([
      {
        method: 'GET',
        url: '/b2b/v1/moi',
        headers: { 'x-api-key': 'mdt_stg_k', accept: 'application/json' },
      },
    ]);
  });

  it('an invalid address throws an error that names it', () => {
    expect(() => connect({ address: 'localhost 3000' })).toThrow('"localhost 3000" is no address.');
  });

  it('returns a file', async () => {
    const headers = { 'Content-Type': 'application/x-tar' };
    answers = [(response) => response.writeHead(200, headers).end('bundle')];
    const { data } = await connect().dossiers.download({ path: { id: 'c' }, parseAs: 'blob' });
    expect(await data.text()).toBe('bundle');
  });

  it('puts path, query and body where they belong', async () => {
    answers = [json(200, {}), json(200, []), json(201, {})];
    const mandat = connect();
    await mandat.employes.get({ path: { idExterne: 'a/b é?' } });
    await mandat.employes.list({ query: { limite: 5, modifieDepuis: '2030-01-01T00:00:00Z' } });
    await mandat.employes.create({ body: INPUT });
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/b2b/v1/employe/a%2Fb%20%C3%A9%3F', ''],
      ['GET', '/b2b/v1/employe?limite=5&modifieDepuis=2030-01-01T00%3A00%3A00Z', ''],
      ['POST', '/b2b/v1/employe', JSON.stringify(INPUT)],
    ]);
    expect(seen[2]!.headers['content-type']).toBe('application/json');
  });

  describe('repeats', () => {
    it.each<[what: string, answer: Answer, seconds: number, status: number | undefined]>([
      ['429', refusal(429, 'Debit.Depasse', { 'Retry-After': '7' }), 7, 429],
      ['503', refusal(503, 'Service.Indisponible', { 'Retry-After': '3' }), 3, 503],
      ['503 without Retry-After', refusal(503, 'Service.Indisponible'), 0.25, 503],
      [
        '502 of a proxy',
        (response) => response.writeHead(502, { 'Content-Type': 'text/html' }).end('<p>'),
        0.25,
        502,
      ],
      ['a connection that breaks', broken, 0.25, undefined],
      [
        'an answer that breaks off',
        (response) => {
          response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
          response.write('{"client":', () => response.socket!.destroy());
        },
        0.25,
        undefined,
      ],
    ])('a read after %s', async (_what, answer, seconds, status) => {
      answers = [answer, json(200, MOI)];
      expect((await connect().moi.get()).data).toEqual(MOI);
      expect(waits).toEqual([{ seconds, attempt: 1, status }]);
      expect(slept).toEqual([seconds]);
    });

    it('PUT and DELETE, with the same body', async () => {
      answers = [broken, json(200, {}), broken, (response) => response.writeHead(204).end()];
      await connect().employes.replace({ body: INPUT });
      await connect().employes.delete({ path: { idExterne: 'E-1' } });
      expect(seen.map(({ method, body }) => [method, body])).toEqual([
        ['PUT', JSON.stringify(INPUT)],
        ['PUT', JSON.stringify(INPUT)],
        ['DELETE', ''],
        ['DELETE', ''],
      ]);
    });

    it('a POST with an Idempotency-Key, under the same key', async () => {
      answers = [broken, refusal(409, 'Idempotence.EnCours', { 'Retry-After': '1' }), json(201, {})];
      await connect().employes.create({ body: INPUT, headers: idempotencyKey() });
      const keys = seen.map(({ headers }) => headers['idempotency-key']);
      expect(keys).toHaveLength(3);
      expect(new Set(keys).size).toBe(1);
      expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(slept).toEqual([0.25, 1]);
    });

    it('any request after 429, as nothing was done', async () => {
      answers = [refusal(429, 'Debit.Depasse', { 'Retry-After': '2' }), json(201, {})];
      await connect().employes.create({ body: INPUT });
      expect(slept).toEqual([2]);
    });

    it('up to its maximum of attempts, with twice the wait each time', async () => {
      answers = Array.from({ length: 5 }, () => broken);
      expect(await thrown(connect().moi.get())).toBeInstanceOf(ConnectionError);
      expect(slept).toEqual([0.25, 0.5, 1, 2]);
      answers = [broken, broken];
      expect(await thrown(connect({ attempts: 2 }).moi.get())).toBeInstanceOf(ConnectionError);
      expect(seen).toHaveLength(7);
    });

    it('until the time that Retry-After names', async () => {
      const date = new Date(Date.now() + 20_000).toUTCString();
      answers = [refusal(503, 'Service.Indisponible', { 'Retry-After': date }), json(200, MOI)];
      await connect().moi.get();
      expect(slept[0]).toBeGreaterThan(10);
      expect(slept[0]).toBeLessThanOrEqual(20);
    });
  });

  describe('does not repeat', () => {
    it.each<[what: string, answer: Answer]>([
      ['503', refusal(503, 'Service.Indisponible', { 'Retry-After': '1' })],
      ['a connection that breaks', broken],
      ['502 of a proxy', (response) => response.writeHead(502).end()],
    ])('a POST without a key after %s', async (_what, answer) => {
      answers = [answer];
      const error = await thrown(connect().employes.create({ body: INPUT }));
      expect(error).toBeInstanceOf(Error);
      if (error instanceof ConnectionError) expect(error.repeatable).toBe(false);
      expect(seen).toHaveLength(1);
      expect(waits).toEqual([]);
    });

    it.each([400, 401, 403, 404, 409, 422, 500])('%d', async (status) => {
      answers = [refusal(status, 'Un.Code', { 'Retry-After': '1' })];
      expect(await thrown(connect().moi.get())).toMatchObject({
        name: 'ProblemError',
        status,
        code: 'Un.Code',
      });
      expect(seen).toHaveLength(1);
    });

    it('a request whose wait exceeds the maximum', async () => {
      answers = [refusal(429, 'Debit.Depasse', { 'Retry-After': '61' })];
      expect(await thrown(connect().moi.get())).toMatchObject({ code: 'Debit.Depasse' });
      answers = [refusal(429, 'Debit.Depasse', { 'Retry-After': '61' }), json(200, MOI)];
      await connect({ maxWaitSeconds: 90 }).moi.get();
      expect(slept).toEqual([61]);
    });

    it.each([
      ['EHOSTUNREACH', 'read'],
      ['ENETUNREACH', 'write'],
      ['ECONNRESET', 'read'],
    ])('a POST without a key after %s of a connection that has sent (%s)', async (code, syscall) => {
      const one = Object.assign(new Error(code), { code, syscall });
      // One way of a caller's own `fetch` and several.
      for (const cause of [one, Object.assign(new AggregateError([one, one]), { code })]) {
        const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
        const error = await thrown(connect({ fetch }).employes.create({ body: INPUT }));
        const message = `The connection to ${address} broke (${code})`;
        expect(error).toMatchObject({ message, repeatable: false });
      }
    });

    it('a request that the caller aborts during a wait', async () => {
      const controller = new AbortController();
      answers = [refusal(429, 'Debit.Depasse', { 'Retry-After': '60' })];
      const patient = partenaire({
        address,
        key: 'mdt_stg_k',
        onWait: () =>
          setImmediate(() => {
            // The signal must not be collected during the wait, because it would then be ignored.
            collectGarbage();
            controller.abort(new Error('given up'));
          }),
      });
      expect(await thrown(patient.moi.get({ signal: controller.signal }))).toEqual(new Error('given up'));
      expect(seen).toHaveLength(1);
    });

    it('a request that the caller has aborted', async () => {
      const signal = AbortSignal.abort(new Error('given up'));
      expect(await thrown(connect().moi.get({ signal }))).toEqual(new Error('given up'));
      expect(waits).toEqual([]);
    });
  });

  describe('reports', () => {
    it('the error of the service, with its members', async () => {
      const problem = {
        type: 'http://localhost/docs/erreurs#Requete.Invalide',
        title: 'Invalid request',
        status: 400,
        detail: '/age: is not a property of this record',
        code: 'Requete.Invalide',
        instance: 'urn:request:r-1',
        traceId: 't-1',
        errors: [{ pointer: '/age', code: 'unknown', detail: 'is not a property of this record' }],
      };
      answers = [json(400, problem, { 'X-Request-Id': 'r-1' })];
      const error = (await thrown(connect().employes.create({ body: INPUT }))) as ProblemError;
      expect(error).toBeInstanceOf(ProblemError);
      const { instance, ...members } = problem;
      expect(error).toMatchObject({ ...members, module: undefined });
      expect(`urn:request:${error.requestId}`).toBe(instance);
      expect(error.message).toBe('400 Requete.Invalide: /age is not a property of this record');
      expect(error.response.status).toBe(400);
      expect(await error.response.json()).toEqual(problem);
    });

    it('304 Not Modified', async () => {
      answers = [(response) => response.writeHead(304, { ETag: '"1"' }).end()];
      const call = connect().employes.get({ path: { idExterne: 'E' }, headers: { 'If-None-Match': '"1"' } });
      expect(await thrown(call)).toMatchObject({ name: 'ProblemError', status: 304, code: undefined });
      expect(seen[0]!.headers['if-none-match']).toBe('"1"');
    });

    it('a refused connection, at once', async () => {
      const nobody = createServer();
      await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
      const closed = `http://127.0.0.1:${(nobody.address() as AddressInfo).port}`;
      await new Promise((resolve) => nobody.close(resolve));
      const error = await thrown(connect({ address: closed }).employes.create({ body: INPUT }));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ message: `No connection to ${closed} (ECONNREFUSED)`, repeatable: true });
      expect(waits).toEqual([]);
    });

    it.each([
      ['EHOSTUNREACH', 'connect'],
      ['EAI_AGAIN', 'getaddrinfo'],
    ])('a request that was not sent: %s (%s)', async (code, syscall) => {
      const one = Object.assign(new Error(code), { code, syscall });
      // A single address, and a host with two addresses.
      for (const cause of [one, Object.assign(new AggregateError([one, one]), { code })]) {
        const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
        const error = await thrown(connect({ fetch }).employes.create({ body: INPUT }));
        expect(error).toMatchObject({ message: `No connection to ${address} (${code})`, repeatable: true });
      }
      expect(waits).toEqual([]);
    });

    it('a response of another service', async () => {
      answers = [
        (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>Welcome</p>'),
      ];
      const error = await thrown(connect().moi.get());
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ message: `What answers at ${address} is not Mandat (200, text/html)` });
    });

    it('a redirect, which does not get the key', async () => {
      answers = [(response) => response.writeHead(307, { Location: `${address}/other` }).end()];
      expect(await thrown(connect().moi.get())).toMatchObject({ name: 'ConnectionError', status: 307 });
      expect(seen).toHaveLength(1);
    });
  });
});
