import type { INestApplication } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { Config } from '../../libs/platform/src/ops/config';
import { SigningKeys } from '../../libs/webhooks/src/application/signing-keys';
import { KeyRing } from '../../libs/platform/src/ops/key-ring';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { closeAll, countJobs, rowsOf, tell } from './support/deliveries';
import { Receiver, type Received, until } from './support/receiver';
import { ShiftedClock } from './support/shifted-clock';
import { register, scene, sign } from './support/signed';
import { perTest } from '../setup/fixtures';

/** The libraries that verify signatures; they throw if a signature is wrong. */
type Library = readonly [
  name: string,
  create: (secret: string) => { verify(body: string, headers: Record<string, string>): unknown },
];

const LIBRARIES: Library[] = [
  ['standardwebhooks', (secret) => new StandardWebhook(secret)],
  ['svix', (secret) => new SvixWebhook(secret)],
];

const HOUR_MS = 3_600_000;

/** Event data in the form in which they are sent: JSON text. */
const DATA: [string, string][] = [
  ['letters of many scripts', '{"nom":"Zoé Œuvrard-Ñandú 李 👩‍👩‍👧‍👦 \u200f","drapeau":"🏴󠁣󠁡󠁱󠁣󠁿"}'],
  ['line separators', '{"texte":"a\u2028b\u2029c"}'],
  ['escapes', '{"texte":"\\u0000\\ud83d\\u2028\\/\\"\\\\\\n","é":1}'],
  ['white space and numbers in their original form', '{ "a" :1.0,\n  "b": 12345678901234567890, "a": 1e2 }'],
  ['a megabyte', JSON.stringify({ texte: '𝕏é'.repeat(180_000) })],
  ['nothing', '{}'],
];

let app: TestApp;
let receiver: Receiver;
const place = perTest(() => scene(app));
let clock: ShiftedClock;
const workers: INestApplication[] = [];
/** Each test has an endpoint with its own path. */
let path: string;
let paths = 0;

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  clock = await ShiftedClock.install(app.database);
  receiver = await Receiver.start();
});
beforeEach(async () => {
  path = `/${++paths}`;
});
afterEach(async () => {
  await closeAll(workers);
});
afterAll(async () => {
  await receiver.stop();
  await app.stop();
});

async function work(config = app.config): Promise<INestApplication> {
  const worker = await startWorker(config, { clock });
  workers.push(worker);
  return worker;
}

async function endpoint(): Promise<{ id: string; secret: string }> {
  return register(app, place, receiver.url + path);
}

/**
 * Waits for requests.
 *
 * @returns the last one
 */
async function nth(count: number): Promise<Received> {
  await until(`${count} requests at ${path}`, () => receiver.of(path).length >= count);
  return receiver.of(path)[count - 1]!;
}

/**
 * Verifies a request as a receiver does at a given time.
 *
 * @throws the library's error
 */
function verify(
  [, create]: Library,
  secret: string,
  { body, headers }: Pick<Received, 'body' | 'headers'>,
  at = clock.now(),
): void {
  const now = jest.spyOn(Date, 'now').mockReturnValue(at.getTime());
  try {
    create(secret).verify(body, headers as Record<string, string>);
  } finally {
    now.mockRestore();
  }
}

async function rotate(id: string): Promise<string> {
  const { status, json } = await app.send(place.tenant, 'POST', `/b2b/v2/webhook/${id}/secret/rotation`);
  expect(status).toBe(200);
  return json.secret;
}

/** Returns the secrets that verify the signature of a request, the same ones with both libraries. */
function verifying(request: Received, secrets: string[]): boolean[] {
  const [one, other] = LIBRARIES.map((library) =>
    secrets.map((secret) => {
      try {
        verify(library, secret, request);
        return true;
      } catch {
        return false;
      }
    }),
  );
  expect(one).toEqual(other);
  return one!;
}

describe('The request that a receiver gets', () => {
  it.each(DATA)('is verified by standardwebhooks and svix, with unchanged data: %s', async (_what, data) => {
    const { secret } = await endpoint();
    await work();
    const [id] = await tell(app, place, [data]);
    const request = await nth(1);
    for (const library of LIBRARIES) verify(library, secret, request);
    const { rows } = await app.database.query<{ date: Date }>(
      'SELECT date_creation AS date FROM evenement WHERE id_unique = $1',
      [id],
    );
    expect(request.body).toBe(
      `{"type":"adhesion.signee","timestamp":"${rows[0]!.date.toISOString()}","data":${data}}`,
    );
    expect(request.headers['webhook-id']).toBe(id);
    expect(request.headers['content-length']).toBe(String(Buffer.byteLength(request.body)));
  });

  it('has the event of the feed, in exactly the documented body and headers', async () => {
    const { id, secret } = await endpoint();
    await work();
    const cardId = await sign(app, place);
    const request = await nth(1);
    for (const library of LIBRARIES) verify(library, secret, request);
    const body = JSON.parse(request.body);
    expect(Object.keys(body)).toEqual(['type', 'timestamp', 'data']);
    expect(body.data.idUniqueAdhesion).toBe(cardId);
    const feed = await app.send(place.tenant, 'GET', '/b2b/v2/evenement?type=adhesion.signee');
    expect(feed.json).toEqual([{ id: request.headers['webhook-id'], ...body }]);

    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Object.keys(request.headers).sort()).toEqual(
      [
        'connection',
        'content-length',
        'content-type',
        'host',
        'user-agent',
        'webhook-id',
        'webhook-signature',
        'webhook-timestamp',
      ].sort(),
    );
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Mandat-Webhooks/1',
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    });
    await until('the attempt is noted', async () => (await rowsOf(app.database, id))[0]?.etat === 'Reussie');
    const [row] = await rowsOf(app.database, id);
    expect(request.headers['webhook-timestamp']).toBe(
      String(Math.floor(Date.parse(row!.tentatives[0]!.date) / 1_000)),
    );
  });

  it.each(LIBRARIES)('is rejected by %s after any change', async (...library) => {
    const { secret } = await endpoint();
    await work();
    await tell(app, place, ['{"montant":1}', '{"montant":2}']);
    await nth(2);
    const [request, other] = receiver.of(path) as [Received, Received];
    const { body, headers } = request;
    // The control: the unchanged request is verified.
    verify(library, secret, request);
    const refuse = (changed: Partial<Received>, by = secret, at?: Date): void => {
      expect(() => verify(library, by, { ...request, ...changed }, at)).toThrow();
    };
    refuse({ body: body.replace(/"montant":\d/, '"montant":9') });
    refuse({ body: `${body} ` });
    refuse({ body: other.body });
    refuse({ headers: { ...headers, 'webhook-id': other.headers['webhook-id'] } });
    refuse({
      headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
    });
    refuse({ headers: { ...headers, 'webhook-signature': other.headers['webhook-signature'] } });
    refuse({ headers: { ...headers, 'webhook-signature': '' } });
    refuse({}, `whsec_${randomBytes(32).toString('base64')}`);
    // A delayed request that is replayed later.
    refuse({}, secret, new Date(clock.now().getTime() + 6 * 60_000));
  });

  it('has the same id and body at every attempt, and a new signature with the time of each', async () => {
    const { id, secret } = await endpoint();
    receiver.behaviours.set(path, (_request, response) => {
      response.writeHead(receiver.of(path).length < 4 ? 503 : 200).end();
    });
    await work();
    await tell(app, place, ['{"n":1}']);
    for (let attempt = 1; attempt <= 4; attempt++) {
      const request = await nth(attempt);
      for (const library of LIBRARIES) verify(library, secret, request);
      await until(`attempt ${attempt} is noted`, async () => {
        const [row] = await rowsOf(app.database, id);
        return row!.tentatives.length === attempt;
      });
      const [row] = await rowsOf(app.database, id);
      if (row!.prochaine) await clock.moveTo(row!.prochaine);
    }
    const requests = receiver.of(path);
    expect(requests).toHaveLength(4);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(4);
    expect(new Set(requests.map(({ headers }) => headers['webhook-signature'])).size).toBe(4);
    const [row] = await rowsOf(app.database, id);
    expect(row).toMatchObject({ etat: 'Reussie', prochaine: null });
    expect(row!.tentatives.map(({ statut }) => statut)).toEqual([503, 503, 503, 200]);
  });
});

describe('A replaced secret', () => {
  it('signs for 24 more hours and no longer', async () => {
    const { id, secret: old } = await endpoint();
    await work();
    await tell(app, place, ['1']);
    expect(verifying(await nth(1), [old])).toEqual([true]);

    // The clock of the API is the real one: the overlap ends 24 hours from there.
    const before = Date.now();
    const present = await rotate(id);
    const after = Date.now();
    expect(present).not.toBe(old);
    await tell(app, place, ['2']);
    expect(verifying(await nth(2), [present, old])).toEqual([true, true]);
    expect(receiver.of(path)[1]!.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);

    await clock.moveTo(new Date(before + 24 * HOUR_MS - 60_000));
    await tell(app, place, ['3']);
    expect(verifying(await nth(3), [present, old])).toEqual([true, true]);

    await clock.moveTo(new Date(after + 24 * HOUR_MS));
    await tell(app, place, ['4']);
    expect(verifying(await nth(4), [present, old])).toEqual([true, false]);
    expect(receiver.of(path)[3]!.headers['webhook-signature']).toMatch(/^v1,\S{44}$/);
  });

  it('also signs when its successor is replaced', async () => {
    const { id, secret: first } = await endpoint();
    await work();
    const second = await rotate(id);
    const third = await rotate(id);
    // The worker's clock ends the overlap, and other tests have moved that clock. The end is therefore set by it.
    await app.database.query(
      'UPDATE webhook SET secret_precedent_jusqua = $2, secrets_anciens_jusqua = ARRAY[$2::timestamptz] WHERE id_unique = $1',
      [id, new Date(clock.now().getTime() + HOUR_MS)],
    );
    await tell(app, place, ['1']);
    expect(verifying(await nth(1), [third, second, first])).toEqual([true, true, true]);
  });
});

describe('A secret that was sealed with another SECRETS_KEY', () => {
  it('a worker with another key sends no events and keeps them; a worker with the right key delivers them', async () => {
    const { id, secret } = await endpoint();
    const wrong = await work(new Config({ ...app.config, secretsKey: KeyRing.of(randomBytes(32)) }));
    const keys = jest.spyOn(wrong.get(SigningKeys), 'at');
    await tell(app, place, ['{"n":1}', '{"n":2}']);
    await until('both were tried, given back, and one was tried again', () => keys.mock.calls.length > 2);
    expect(keys.mock.results.map(({ type }) => type)).not.toContain('return');
    const { rows } = await app.database.query<{ tries: number }>(
      `SELECT retry_count AS tries FROM pgboss.job WHERE name = 'livraison'`,
    );
    // A job that is given back has not ended its process.
    expect(rows).toEqual([{ tries: 0 }, { tries: 0 }]);
    const waiting = { etat: 'EnAttente', essais: 0, tentatives: [] };
    expect(await rowsOf(app.database, id)).toMatchObject([waiting, waiting]);
    await wrong.close();
    expect(await rowsOf(app.database, id)).toMatchObject([waiting, waiting]);
    expect(receiver.of(path)).toEqual([]);

    await work();
    await nth(2);
    for (const request of receiver.of(path)) {
      for (const library of LIBRARIES) verify(library, secret, request);
    }
    await until('no job is left', async () => (await countJobs(app.database)) === 0);
    const done = { etat: 'Reussie', essais: 1, tentatives: [{ statut: 204 }] };
    expect(await rowsOf(app.database, id)).toMatchObject([done, done]);
    expect(receiver.of(path)).toHaveLength(2);
  });
});
