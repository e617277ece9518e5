import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, connectionOf, ProblemError, secondsToWait, UnreachableError } from '../../examples/client';

describe('the client of the demonstration', () => {
  let server: Server;
  let baseUrl: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const waits: [number, number][] = [];

  beforeAll(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => void (waits.length = 0));

  const client = (): Client =>
    new Client({ baseUrl, key: 'k', onWait: (seconds, status) => waits.push([seconds, status]) });

  const refuse = (response: ServerResponse, status: number, retryAfter?: string): void => {
    if (retryAfter) response.setHeader('Retry-After', retryAfter);
    response.writeHead(status, { 'Content-Type': 'application/problem+json' });
    response.end(JSON.stringify({ title: 'T', status, detail: 'D', code: 'C' }));
  };

  it('sends the key, the body and the headers, and measures the answer', async () => {
    const seen: unknown[] = [];
    answer = (request, response) => {
      const { method, url, headers } = request;
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen.push([method, url, headers['x-api-key'], headers['idempotency-key'], body]);
        response.end('{"é":1}');
      });
    };
    const { status, body, bytes } = await client().post<unknown>(
      '/p',
      { a: 'ç' },
      { 'Idempotency-Key': 'i' },
    );
    expect(seen).toEqual([['POST', '/p', 'k', 'i', '{"a":"ç"}']]);
    expect([status, body, bytes]).toEqual([200, { é: 1 }, 8]);
  });

  it.each([429, 503])('repeats after %d, as long as Retry-After asks', async (status) => {
    let times = 0;
    answer = (_request, response) => (++times < 3 ? refuse(response, status, '0') : void response.end('[]'));
    const calling = client();
    expect((await calling.get('/p')).body).toEqual([]);
    expect(waits).toEqual([
      [0, status],
      [0, status],
    ]);
    expect(calling.requests).toBe(3);
  });

  it('gives up in the end', async () => {
    answer = (_request, response) => refuse(response, 503, '0');
    const calling = client();
    await expect(calling.get('/p')).rejects.toThrow(ProblemError);
    expect(calling.requests).toBe(6);
  });

  it('throws every other refusal as its problem details, at once', async () => {
    answer = (_request, response) => refuse(response, 412);
    const error = await client()
      .put('/p', {})
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProblemError);
    expect((error as ProblemError).problem).toMatchObject({ status: 412, code: 'C' });
    expect((error as ProblemError).message).toBe('412 C: D');
    expect(waits).toEqual([]);
  });

  it('answers 304 without a body', async () => {
    answer = ({ headers }, response) => {
      response.writeHead(headers['if-none-match'] ? 304 : 200).end();
    };
    const { status, body } = await client().get<unknown>('/p', { 'If-None-Match': '"e"' });
    expect([status, body]).toEqual([304, undefined]);
  });

  it('follows Link to the next page, and never to another host', async () => {
    let link = '';
    answer = (_request, response) => void response.setHeader('Link', link).end('[]');
    const calling = client();
    const next = async (url: string): Promise<string | undefined> => {
      link = url;
      return calling.next(await calling.get('/p'));
    };
    expect(await next(`<${baseUrl}/b2b/v1/employe?limite=2&curseur=x>; rel="next"`)).toBe(
      '/b2b/v1/employe?limite=2&curseur=x',
    );
    expect(await next('<https://elsewhere.example/p?q=1>; rel="next"')).toBe('/p?q=1');
    expect(await next('</p>; rel="prev"')).toBeUndefined();
  });

  it('finds what Location names, and never on another host', async () => {
    let location = '/b2b/v2/tache/1';
    answer = (_request, response) => {
      if (location) response.setHeader('Location', location);
      response.writeHead(202).end('{}');
    };
    const calling = client();
    const located = async (url: string): Promise<string | undefined> => {
      location = url;
      return calling.location(await calling.post('/p', {}));
    };
    expect(await located('/b2b/v2/tache/1')).toBe('/b2b/v2/tache/1');
    expect(await located(`${baseUrl}/b2b/v2/tache/1`)).toBe('/b2b/v2/tache/1');
    expect(await located('https://elsewhere.example/p?q=1')).toBe('/p?q=1');
    expect(await located('')).toBeUndefined();
  });

  it('says in one line what to do where no service, another one or a wrong key is', async () => {
    answer = (_request, response) => void response.end('<html>');
    await expect(client().get('/p')).rejects.toThrow(/is not Mandat: set PORT or PUBLIC_URL/);
    answer = (_request, response) => refuse(response, 401);
    await expect(client().get('/p')).rejects.toThrow(/does not know the key: set DATA_DIR/);
    answer = (_request, response) => void response.destroy();
    await expect(client().get('/p')).rejects.toThrow(/does not answer \(.+\): run `npm start`/);
    answer = (_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('[');
      setTimeout(() => response.destroy(), 20);
    };
    await expect(client().get('/p')).rejects.toThrow(UnreachableError);
  });

  it('reads Retry-After as seconds and as a date', () => {
    expect(secondsToWait('7')).toBe(7);
    expect(secondsToWait(null)).toBe(1);
    expect(secondsToWait('soon')).toBe(1);
    const now = Date.parse('2026-03-02T14:05:09.500Z');
    expect(secondsToWait('Mon, 02 Mar 2026 14:05:12 GMT', now)).toBe(3);
    expect(secondsToWait('Mon, 02 Mar 2026 14:05:00 GMT', now)).toBe(0);
  });

  it('finds the service and the key that npm start wrote down', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'mandat-demo-'));
    expect(() => connectionOf({ DATA_DIR: dataDir })).toThrow(
      /^No partner key in .+demonstration\.json: run `npm start`/,
    );
    writeFileSync(join(dataDir, 'demonstration.json'), '{"partenaire":"mdt_stg_x"}');
    expect(connectionOf({ DATA_DIR: dataDir })).toEqual({
      baseUrl: 'http://localhost:3000',
      key: 'mdt_stg_x',
    });
    expect(connectionOf({ DATA_DIR: dataDir, PORT: '8080' }).baseUrl).toBe('http://localhost:8080');
    expect(connectionOf({ MANDAT_KEY: 'k', PUBLIC_URL: 'https://m.example/api/', PORT: '1' })).toEqual({
      baseUrl: 'https://m.example/api',
      key: 'k',
    });
    expect(() => connectionOf({ MANDAT_KEY: 'k', PUBLIC_URL: 'nowhere' })).toThrow(/is no address/);
  });
});
