import { StreamableFile } from '@nestjs/common';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { compressions } from '../../libs/platform/src/limits/list-parts';
import { ListSender } from '../../libs/platform/src/http/list-sender';
import { synced, times } from '../membership/synced';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { CAMPAGNES, Campaigns, NEXT_YEAR } from '../voting/support/campaigns';
import { perFile } from '../setup/fixtures';
import { ask as askUrl, type Raw } from './raw';

const UNPACKED: Record<string, (bytes: Buffer) => Buffer> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
};
const LIST = '/b2b/v1/employe';
/** Enough for a list of several parts. */
const EMPLOYEES = 6_000;

const app = perFile(() => TestApp.start());
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await app.tenant();
  await synced(app, tenant, {
    Employes: times(EMPLOYEES, (index) => ({
      ...{ IdExterne: `E-${String(index).padStart(4, '0')}`, Prenom: 'Zoé', Nom: `Côté 🌊 ${index}` },
      Ville: 'Saint-Louis-du-Ha! Ha!',
    })),
  });
});
afterEach(() => jest.restoreAllMocks());

const ask = (
  path: string,
  accepted?: string,
  headers: Record<string, string> = {},
  method?: string,
): Promise<Raw> =>
  askUrl(
    app.url + path,
    {
      'X-Api-Key': tenant.cle,
      ...(accepted === undefined ? {} : { 'Accept-Encoding': accepted }),
      ...headers,
    },
    method,
  );

describe('An answer of 1 KiB or more', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    ['deflate', 'identity'],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['*', 'zstd'],
    ['*, zstd;q=0', 'br'],
    ['zstd;q=0.5, gzip', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['GZIP', 'gzip'],
    ['gzip;q=x, ;;', 'identity'],
  ])('Accept-Encoding: %s gives %s, for a page and for a list in parts', async (accepted, encoding) => {
    for (const path of [`${LIST}?limite=1000`, LIST]) {
      const plain = await ask(path);
      const { status, headers, bytes } = await ask(path, accepted);
      expect([status, headers['content-encoding'] ?? 'identity', headers.vary]).toEqual([
        200,
        encoding,
        'Accept, Accept-Encoding',
      ]);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(headers.link).toBe(plain.headers.link);
      expect(UNPACKED[encoding]!(bytes).equals(plain.bytes)).toBe(true);
      if (encoding !== 'identity') expect(bytes.length).toBeLessThan(plain.bytes.length / 5);
    }
  });

  it('has one ETag in all encodings: 304 and If-Match take it', async () => {
    const campaigns = new Campaigns(app, tenant);
    const path = `${CAMPAGNES}/${await campaigns.draft({ textePageAccueil: '<p>Bienvenue</p>'.repeat(100) })}`;
    const [plain, packed] = [await ask(path), await ask(path, 'gzip')];
    expect(packed.headers.etag).toBe(plain.headers.etag);
    const known = await ask(path, 'gzip', { 'If-None-Match': packed.headers.etag! });
    expect([known.status, known.bytes.length, known.headers['content-encoding']]).toEqual([
      304,
      0,
      undefined,
    ]);
    const change = { titre: 'Élection', ...NEXT_YEAR };
    const put = (): Promise<Answer> =>
      app.send(tenant, 'PUT', path, change, { 'If-Match': packed.headers.etag! });
    expect([(await put()).status, (await put()).status]).toEqual([200, 412]);
  });

  it('HEAD has the headers of GET and no body', async () => {
    const path = `${LIST}?limite=1000`;
    const [get, head] = [await ask(path, 'zstd'), await ask(path, 'zstd', {}, 'HEAD')];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers['content-encoding']).toBe(get.headers['content-encoding']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect((await ask(LIST, 'zstd', {}, 'HEAD')).status).toBe(200);
  });

  it('is repeated in the encoding that the repetition asks for', async () => {
    const send = async (accepted: string): Promise<Raw> => {
      const { url } = app;
      const response = await fetch(`${url}/b2b/v2/sync`, {
        method: 'POST',
        headers: {
          ...{ 'X-Api-Key': tenant.cle, 'Idempotency-Key': 'sync-1', 'Content-Type': 'application/json' },
          'Accept-Encoding': accepted,
        },
        body: JSON.stringify({ Employes: times(50, () => ({ IdExterne: '' })) }),
      });
      const { status, headers } = response;
      return {
        status,
        headers: Object.fromEntries(headers),
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    };
    const [first, again] = [await send('gzip'), await send('br')];
    expect([first.status, again.status]).toEqual([200, 200]);
    expect([first.headers['content-encoding'], again.headers['content-encoding']]).toEqual(['gzip', 'br']);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.bytes.equals(first.bytes)).toBe(true);
  });
});

it('pages are compressed one at a time for each client; plain and short answers, lists in parts and others do not wait', async () => {
  const page = `${LIST}?limite=1000`;
  const other = await app.tenant();
  await synced(app, other, {
    Employes: times(20, (index) => ({ IdExterne: `E-${index}`, Prenom: 'Zoé', Nom: 'Roy' })),
  });
  let release!: () => void;
  const held = compressions.run(tenant.clientId, () => new Promise<void>((resolve) => (release = resolve)));
  let isDone = false;
  const waiting = ask(page, 'gzip').finally(() => (isDone = true));
  for (const [path, accepted] of [
    [page, 'identity'],
    [`${LIST}?limite=1`, 'gzip'],
    [LIST, 'gzip'],
  ] as const)
    expect((await ask(path, accepted)).status).toBe(200);
  const ofOther = await ask(page, 'gzip', { 'X-Api-Key': other.cle });
  expect([ofOther.status, ofOther.headers['content-encoding']]).toEqual([200, 'gzip']);
  expect(isDone).toBe(false);
  release();
  await held;
  expect((await waiting).headers['content-encoding']).toBe('gzip');
});

it('a shorter answer is sent as it is', async () => {
  const { headers, bytes } = await ask(`${LIST}?limite=1`, 'gzip');
  expect(bytes.length).toBeLessThan(1_024);
  expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Accept']);
});

describe('A compressed list that fails', () => {
  /** Lets the list fail after some pieces. */
  const failingAfter = (pieces: number): void => {
    const { send } = ListSender.prototype;
    jest.spyOn(ListSender.prototype, 'send').mockImplementation(async function (
      this: ListSender,
      listing,
      context,
    ) {
      const answer = await send.call(this, listing, context);
      if (!(answer instanceof StreamableFile)) return answer;
      const stream = answer.getStream();
      const all = async function* (): AsyncGenerator<Buffer, void> {
        let sent = 0;
        for await (const piece of stream) {
          if (sent++ === pieces) throw new Error('a list that fails');
          yield piece as Buffer;
        }
      };
      Object.assign(answer, { stream: Readable.from(all(), { highWaterMark: 1 }) });
      return answer;
    });
  };

  it('is a problem in plain text if nothing was sent', async () => {
    failingAfter(0);
    const { status, headers, bytes } = await ask(LIST, 'gzip', { Accept: 'text/csv' });
    expect([status, headers['content-encoding'], headers['content-disposition']]).toEqual([
      500,
      undefined,
      undefined,
    ]);
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(JSON.parse(bytes.toString())).toMatchObject({ code: 'Service.ErreurInterne' });
  });

  it('does not look complete if a part was sent', async () => {
    failingAfter(8);
    await expect(ask(LIST, 'gzip')).rejects.toThrow('aborted');
    // Negative control: the whole list arrives.
    jest.restoreAllMocks();
    expect((await ask(LIST, 'gzip')).status).toBe(200);
  });
});
