import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ERROR_CODES } from '../../libs/shared/src/errors/error-codes';
import { TestApp } from '../setup/test-app';
import { expectProblem } from './expect-problem';

const DOCUMENTS = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/', 'text/html; charset=utf-8'],
  ['/docs/plateforme', 'text/html; charset=utf-8'],
  ['/docs/admin', 'text/html; charset=utf-8'],
  ['/docs/erreurs', 'text/html; charset=utf-8'],
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

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** One request as it is written: fetch would add headers of its own and unpack the body. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  const sent = httpRequest(app.url + path, { method, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.setEncoding('latin1');
  const bytes = Buffer.from(await textOf(response), 'latin1');
  return { status: response.statusCode!, headers: response.headers, bytes };
}

describe('Documents without a key', () => {
  it.each(DOCUMENTS)(
    '%s has an ETag, may be kept by any cache and is packed as asked',
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
          vary: 'Accept-Encoding',
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
      // Strong validators: other bytes, another ETag.
      expect(new Set([plain, gzip, brotli].map(({ headers }) => headers.etag)).size).toBe(3);
    },
  );

  it.each([
    ['gzip;q=0, br;q=0', undefined],
    ['identity', undefined],
    ['gzip;q=0.5, br;q=0', 'gzip'],
    ['*', 'br'],
    ['zstd', undefined],
  ])('packs for Accept-Encoding: %s as %s', async (accepted, encoding) => {
    const { status, headers } = await ask('/docs/openapi.json', { 'Accept-Encoding': accepted });
    expect({ status, encoding: headers['content-encoding'] }).toEqual({ status: 200, encoding });
  });

  it.each(DOCUMENTS)('%s answers 304 to the ETag that it gave, and HEAD without a body', async (path) => {
    const packed = { 'Accept-Encoding': 'br' };
    const { headers } = await ask(path, packed);
    const held = { ...packed, 'If-None-Match': `"other", W/${headers.etag!}` };
    const again = await ask(path, held);
    expect({ status: again.status, length: again.bytes.length }).toEqual({ status: 304, length: 0 });
    expect(again.headers).toMatchObject({
      etag: headers.etag,
      vary: 'Accept-Encoding',
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

  it('are written once and not for each request', async () => {
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
    expect(Object.keys(ERROR_CODES).filter((code) => !text.includes(`<tr id="${code}">`))).toEqual([]);
  });

  it('files of Swagger UI that no page needs are not served', async () => {
    for (const name of ['package.json', 'swagger-ui.js', 'swagger-ui-bundle.js.map', 'LICENSE', 'README.md'])
      expectProblem(await app.send(undefined, 'GET', `/docs/${name}`), 404, 'Ressource.NotFound');
  });
});

function isDocument(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'openapi' in value;
}
