import { gzipSync } from 'node:zlib';
import { TestApp, type TestTenant } from '../setup/test-app';
import { faultsOf } from './sound-answer';
import { Wire, type WireAnswer, type WireRequest } from './wire';

const MEGABYTE = 1_048_576;
const JSON_BODY = { 'Content-Type': 'application/json' };

/** Requests whose fault lies in HTTP itself: bytes that no client library would send. */
describe('malformed HTTP', () => {
  let app: TestApp;
  let wire: Wire;
  let tenant: TestTenant;
  let key: { 'X-Api-Key': string };

  beforeAll(async () => {
    app = await TestApp.start();
    wire = new Wire(app.url);
    tenant = await app.tenant();
    key = { 'X-Api-Key': tenant.cle };
  });
  afterAll(async () => {
    expect((await wire.send({ method: 'GET', target: '/health/ready' })).status).toBe(200);
    wire.close();
    await app.stop();
  });

  const expectProblem = (answer: WireAnswer, statuses: number[]): void => {
    expect(faultsOf('GET', answer)).toEqual([]);
    expect(statuses).toContain(answer.status);
  };

  const post = (path: string, body: Buffer, more: Partial<WireRequest> = {}): Promise<WireAnswer> =>
    wire.send({
      method: 'POST',
      target: path,
      body,
      ...more,
      headers: { ...key, ...JSON_BODY, ...more.headers },
    });

  /** Lines of a request's head; the key and an empty line follow. */
  const head = (...lines: string[]): string => [...lines, `X-Api-Key: ${tenant.cle}`, '', ''].join('\r\n');

  describe('is answered with problem details', () => {
    it.each<[name: string, statuses: number[], lines: string[]]>([
      ['an unknown method', [400, 404, 405, 501], ['FROB /b2b/v1/moi HTTP/1.1', 'Host: x']],
      ['no method at all', [400], ['/b2b/v1/moi HTTP/1.1', 'Host: x']],
      ['a binary greeting', [400], ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03']],
      ['a version that does not exist', [400, 505], ['GET /b2b/v1/moi HTTP/9.9', 'Host: x']],
      ['no Host', [400], ['GET /b2b/v1/moi HTTP/1.1']],
      ['a NUL in the path', [400], ['GET /b2b/v1/\x00moi HTTP/1.1', 'Host: x']],
      ['a blank in the path', [400], ['GET /b2b/v1/moi x HTTP/1.1', 'Host: x']],
      ['bytes above 127 in the path', [400, 404], ['GET /b2b/v1/employe/\xff\xfe HTTP/1.1', 'Host: x']],
      ['a path of 20 kB', [400, 414, 431], [`GET /b2b/v1/employe/${'x'.repeat(20_000)} HTTP/1.1`, 'Host: x']],
      [
        'a header of 100 kB',
        [400, 431],
        ['GET /b2b/v1/moi HTTP/1.1', 'Host: x', `X-Request-Id: ${'x'.repeat(100_000)}`],
      ],
      [
        '3,000 headers',
        [400, 431],
        ['GET /b2b/v1/moi HTTP/1.1', 'Host: x', ...Array.from({ length: 3_000 }, (_, n) => `X-${n}: 1`)],
      ],
      ['a NUL in a header', [400], ['GET /b2b/v1/moi HTTP/1.1', 'Host: x', 'X-Request-Id: a\x00b']],
      ['a header without a name', [400], ['GET /b2b/v1/moi HTTP/1.1', 'Host: x', ': x']],
      ['a header without a colon', [400], ['GET /b2b/v1/moi HTTP/1.1', 'Host: x', 'X-Request-Id']],
      [
        'an unknown expectation',
        [400, 401, 404, 417],
        ['GET /b2b/v1/x HTTP/1.1', 'Host: x', 'Expect: the-spanish-inquisition'],
      ],
      [
        'a length that is no number',
        [400],
        ['POST /b2b/v1/employe HTTP/1.1', 'Host: x', 'Content-Length: x'],
      ],
      ['a negative length', [400], ['POST /b2b/v1/employe HTTP/1.1', 'Host: x', 'Content-Length: -1']],
      [
        'two lengths',
        [400],
        ['POST /b2b/v1/employe HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Content-Length: 3'],
      ],
      [
        'a length and chunks',
        [400],
        ['POST /b2b/v1/employe HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Transfer-Encoding: chunked'],
      ],
      [
        'an unknown transfer coding',
        [400, 501],
        ['POST /b2b/v1/employe HTTP/1.1', 'Host: x', 'Transfer-Encoding: x'],
      ],
      ['an unreadable absolute target', [302, 400, 404], ['GET http://[::1/b2b/v1/moi HTTP/1.1', 'Host: x']],
      [
        'an absolute target with an impossible port',
        [302, 400, 404],
        ['GET http://x:99999/b2b/v1/moi HTTP/1.1', 'Host: x'],
      ],
      ['an asterisk', [400, 404], ['OPTIONS * HTTP/1.1', 'Host: x']],
    ])('%s', async (_name, statuses, lines) => {
      expectProblem(await wire.raw(Buffer.from(head(...lines), 'latin1')), statuses);
    });

    it('bytes above 127 in the path of a HEAD, without a body', async () => {
      const target = '/b2b/v1/moi?x=\xe9';
      const answer = await wire.send({ method: 'HEAD', target, headers: key });
      expect([answer.status, answer.text]).toEqual([400, '']);
      expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    });

    it('a body longer than its length', async () => {
      const lines = [
        'POST /b2b/v1/employe HTTP/1.1',
        'Host: x',
        'Content-Type: application/json',
        'Content-Length: 9',
      ];
      expectProblem(await wire.raw(head(...lines) + '{"idExterne":"E-1","prenom":"a","nom":"b"}'), [400]);
    });

    it('a body shorter than its length, whose sender has closed', async () => {
      const lines = [
        'POST /b2b/v1/employe HTTP/1.1',
        'Host: x',
        'Content-Type: application/json',
        'Content-Length: 99',
      ];
      expectProblem(await wire.raw(head(...lines) + '{"idExterne":"E-1"}', { end: true }), [400, 408]);
    });

    it('a chunk whose size is no number', async () => {
      const lines = [
        'POST /b2b/v1/employe HTTP/1.1',
        'Host: x',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      ];
      expectProblem(await wire.raw(head(...lines) + 'zz\r\n{}\r\n0\r\n\r\n'), [400, 408]);
    });
  });

  it('HTTP/1.0, an Upgrade header and Expect: 100-continue do not change the response', async () => {
    const answers = await Promise.all([
      wire.raw(head('GET /b2b/v1/moi HTTP/1.0')),
      wire.raw(head('GET /b2b/v1/moi HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: h2c')),
      wire.send({ method: 'GET', target: '/b2b/v1/moi', headers: { ...key, Expect: '100-continue' } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  describe('limits of bodies', () => {
    /** Returns a valid employee, padded with spaces to a number of bytes. */
    const employe = (idExterne: string, size: number): Buffer =>
      Buffer.from(JSON.stringify({ idExterne, prenom: 'Zoé', nom: 'Roy' }).padEnd(size - 1));

    it('a body in chunks that never ends is rejected as soon as it exceeds the limit', async () => {
      const lines = [
        'POST /b2b/v1/employe HTTP/1.1',
        'Host: x',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      ];
      const chunk = `${(MEGABYTE + 1).toString(16)}\r\n${' '.repeat(MEGABYTE + 1)}\r\n`;
      expectProblem(await wire.raw(head(...lines) + chunk), [413]);
    });

    it('300 kB that decompress to 300 MB are rejected before they are decompressed', async () => {
      const bomb = gzipSync(Buffer.alloc(300 * MEGABYTE), { level: 9 });
      const before = process.memoryUsage().rss;
      expectProblem(await post('/b2b/v1/employe', bomb, { headers: { 'Content-Encoding': 'gzip' } }), [413]);
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * MEGABYTE);
    });

    it.each(['gzip', 'deflate', 'br'])('a body that is not the declared %s is 400', async (coding) => {
      const headers = { 'Content-Encoding': coding };
      const packed = gzipSync(employe('E-2', 500));
      expectProblem(await post('/b2b/v1/employe', employe('E-2', 100), { headers }), [400]);
      expectProblem(
        await post('/b2b/v1/employe', packed.subarray(0, packed.length - 20), { headers }),
        [400],
      );
    });
  });
});
