import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { KeylessBudget } from '../../libs/platform/src/limits/keyless-budget';
import { ERRORS } from '../../apps/partner-api/src/errors';
import { Metrics } from '../../libs/platform/src/ops/metrics';
import { TestApp } from '../setup/test-app';
import { expectProblem } from './expect-problem';
import { ask as askUrl, type Raw } from './raw';
import { perFile } from '../setup/fixtures';

const DOCUMENTS = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/', 'text/html; charset=utf-8'],
  ['/docs/plateforme', 'text/html; charset=utf-8'],
  ['/docs/admin', 'text/html; charset=utf-8'],
  ['/docs/erreurs', 'text/html; charset=utf-8'],
  ['/docs/erreurs.js', 'text/javascript; charset=utf-8'],
  ['/docs/openapi.json', 'application/json; charset=utf-8'],
  ['/docs/plateforme/openapi.json', 'application/json; charset=utf-8'],
  ['/docs/admin/openapi.json', 'application/json; charset=utf-8'],
  ['/docs/openapi.yaml', 'text/yaml; charset=utf-8'],
  ['/docs/plateforme/openapi.yaml', 'text/yaml; charset=utf-8'],
  ['/docs/admin/openapi.yaml', 'text/yaml; charset=utf-8'],
  ['/docs/swagger-ui-init.js', 'text/javascript; charset=utf-8'],
  ['/docs/plateforme/swagger-ui-init.js', 'text/javascript; charset=utf-8'],
  ['/docs/admin/swagger-ui-init.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui-standalone-preset.js', 'text/javascript; charset=utf-8'],
  ['/docs/favicon-32x32.png', 'image/png'],
] as const;

/** The page of errors has a version in each language. */
const varyOf = (path: string): string =>
  path === '/docs/erreurs' ? 'Accept-Encoding, Accept-Language' : 'Accept-Encoding';

const app = perFile(() => TestApp.own('changes the application'));

const ask = (path: string, headers?: Record<string, string>, method?: string): Promise<Raw> =>
  askUrl(app.url + path, headers, method);

describe('Documents without a key', () => {
  it.each(DOCUMENTS)(
    '%s has an ETag, may be cached by any cache and is compressed on request',
    async (path, type) => {
      const plain = await ask(path);
      const gzip = await ask(path, { 'Accept-Encoding': 'gzip, deflate' });
      const brotli = await ask(path, { 'Accept-Encoding': 'gzip, deflate, br' });
      for (const { status, headers, bytes } of [plain, gzip, brotli]) {
        expect(status).toBe(200);
        expect(headers).toMatchObject({
          'content-type': type,
          'content-length': String(bytes.length),
          'cache-control': 'public, max-age=300, must-revalidate',
          vary: varyOf(path),
          etag: expect.stringMatching(/^"[\w-]{27}"$/),
        });
      }
      const isPacked = type !== 'image/png';
      expect([plain, gzip, brotli].map(({ headers }) => headers['content-encoding'])).toEqual(
        isPacked ? [undefined, 'gzip', 'br'] : [undefined, undefined, undefined],
      );
      if (!isPacked) return;
      expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
      expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
      // Strong validators: other bytes need another ETag.
      expect(new Set([plain, gzip, brotli].map(({ headers }) => headers.etag)).size).toBe(3);
    },
  );

  it.each([
    ['gzip;q=0, br;q=0', undefined],
    ['identity', undefined],
    ['gzip;q=0.5, br;q=0', 'gzip'],
    ['*', 'br'],
    ['zstd', undefined],
  ])('Accept-Encoding: %s gives %s', async (accepted, encoding) => {
    const { status, headers } = await ask('/docs/openapi.json', { 'Accept-Encoding': accepted });
    expect({ status, encoding: headers['content-encoding'] }).toEqual({ status: 200, encoding });
  });

  it.each(DOCUMENTS)('%s is 304 for its own ETag, and HEAD has no body', async (path) => {
    const packed = { 'Accept-Encoding': 'br' };
    const { headers } = await ask(path, packed);
    const held = { ...packed, 'If-None-Match': `"other", W/${headers.etag!}` };
    const again = await ask(path, held);
    expect({ status: again.status, length: again.bytes.length }).toEqual({ status: 304, length: 0 });
    expect(again.headers).toMatchObject({
      etag: headers.etag,
      vary: varyOf(path),
      'cache-control': headers['cache-control'],
    });
    expect((await ask(path, { 'If-None-Match': '"other"' })).status).toBe(200);
    const head = await ask(path, packed, 'HEAD');
    expect({ status: head.status, length: head.bytes.length }).toEqual({ status: 200, length: 0 });
    expect(head.headers).toMatchObject({
      etag: headers.etag,
      'content-type': headers['content-type'],
      'content-length': headers['content-length'],
    });
  });

  it('are generated once, not for each request', async () => {
    await ask('/docs/openapi.json');
    await ask('/docs/openapi.yaml');
    const write = jest.spyOn(JSON, 'stringify');
    const list = jest.spyOn(Object, 'keys');
    await ask('/docs/openapi.json');
    await ask('/docs/openapi.yaml');
    const wroteDocument = write.mock.calls.some(([value]) => isDocument(value));
    const walkedDocument = list.mock.calls.some(([value]) => isDocument(value));
    jest.restoreAllMocks();
    expect({ wroteDocument, walkedDocument }).toEqual({ wroteDocument: false, walkedDocument: false });
  });

  it('/docs/erreurs has an anchor for each error code', async () => {
    const { text } = await app.send(undefined, 'GET', '/docs/erreurs');
    expect([...ERRORS.keys()].filter((code) => !text.includes(`<tr id="${code}">`))).toEqual([]);
  });

  it('404 for files of Swagger UI that the page does not need', async () => {
    for (const name of ['package.json', 'swagger-ui.js', 'swagger-ui-bundle.js.map', 'LICENSE', 'README.md'])
      expectProblem(await app.send(undefined, 'GET', `/docs/${name}`), 404, 'Ressource.NotFound');
  });
});

function isDocument(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'openapi' in value;
}

describe('The budget of requests without a key', () => {
  const PER_SECOND = 5;
  beforeAll(() => {
    app.app.get(KeylessBudget).perSecond = PER_SECOND;
  });

  it('429 for documents beyond it; probes, metrics and callers with a key are not limited', async () => {
    const { cle } = await app.tenant();
    const answers = await Promise.all(
      Array.from({ length: 10 * PER_SECOND }, () => app.send(undefined, 'GET', '/docs/admin')),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expectProblem(answer, 429, 'Debit.Depasse');
      expect(answer.json.detail).toMatch(/requests without a key/);
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    const others = await Promise.all(
      [
        ...Array.from({ length: 2 * PER_SECOND }, () => '/health/live'),
        ...Array.from({ length: 2 * PER_SECOND }, () => '/metrics'),
        '/health/ready',
        '/health/startup',
      ].map((path) => app.send(undefined, 'GET', path)),
    );
    others.push(await app.send(cle, 'GET', '/b2b/v1/moi'));
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('metrics are collected once for all requests of a second', async () => {
    const collect = jest.spyOn(app.app.get(Metrics)['exporter'], 'collect');
    const texts = await Promise.all(
      Array.from({ length: 20 }, async () => (await app.send(undefined, 'GET', '/metrics')).text),
    );
    const collected = collect.mock.calls.length;
    jest.restoreAllMocks();
    expect(texts[0]).toContain('http_server_request_duration_seconds');
    expect(collected).toBeLessThanOrEqual(2);
  });
});
