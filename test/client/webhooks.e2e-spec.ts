import type { INestApplication } from '@nestjs/common';
import { partenaire, type Partenaire, verifyWebhook, WebhookError } from '@mandat/client';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { type Received, Receiver, until } from '../webhooks/support/receiver';
import { scene, type Scene, sign } from '../webhooks/support/signed';

let app: TestApp;
let receiver: Receiver;
let worker: INestApplication;
let place: Scene;
let mandat: Partenaire;
let path: string;
let paths = 0;

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  receiver = await Receiver.start();
  worker = await startWorker(app.config);
});
afterAll(async () => {
  await worker.close();
  await receiver.stop();
  await app.stop();
});
beforeEach(async () => {
  place = await scene(app);
  mandat = partenaire({ address: app.url, key: place.tenant.cle });
  path = `/${++paths}`;
});

async function endpoint(): Promise<{ id: string; secret: string }> {
  const url = receiver.url + path;
  const { data } = await mandat.webhooks.create({ body: { url, types: ['adhesion.signee'] } });
  return { id: data.id, secret: data.secret! };
}

async function nth(count: number): Promise<Received> {
  await until(`${count} requests at ${path}`, () => receiver.of(path).length >= count);
  return receiver.of(path)[count - 1]!;
}

const other = (): string => `whsec_${randomBytes(32).toString('base64')}`;

describe('A delivery', () => {
  it('is an event with its type, for all types of headers and bodies', async () => {
    const { secret } = await endpoint();
    const cardId = await sign(app, place);
    const { headers, body } = await nth(1);
    const event = verifyWebhook(headers, body, secret);
    expect(event.id).toBe(headers['webhook-id']);
    if (event.type !== 'adhesion.signee') throw new Error(event.type);
    expect(event.data.idUniqueAdhesion).toBe(cardId);
    expect(event.data.employeIdExterne).toBe('E-1');
    const fetched = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(verifyWebhook(fetched, new TextEncoder().encode(body), [secret])).toEqual(event);
    const { data: feed } = await mandat.evenements.list({ query: { type: 'adhesion.signee' } });
    expect(feed).toEqual([event]);
  });

  it('is rejected after any change', async () => {
    const { id, secret } = await endpoint();
    await mandat.webhooks.test({ path: { id } });
    const { headers, body } = await nth(1);
    expect(verifyWebhook(headers, body, secret)).toMatchObject({
      type: 'webhook.test',
      data: { webhookId: id },
    });
    const refuse = (changed: Partial<Received>, secrets: string | string[] = secret): void => {
      const { headers: given, body: text } = { headers, body, ...changed };
      expect(() => verifyWebhook(given, text, secrets)).toThrow(WebhookError);
    };
    refuse({ body: `${body} ` });
    refuse({
      body: body.replace(
        id,
        id.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      ),
    });
    refuse({ headers: { ...headers, 'webhook-id': 'other' } });
    refuse({
      headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
    });
    refuse({ headers: { ...headers, 'webhook-signature': undefined } });
    refuse({}, other());
    refuse({}, [other(), other()]);
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 6 * 60_000);
    try {
      refuse({});
    } finally {
      now.mockRestore();
    }
    expect(() => verifyWebhook(headers, body, [])).toThrow(TypeError);
  });

  it('both secrets verify it during a rotation, and then the new one only', async () => {
    const { id, secret: old } = await endpoint();
    await mandat.webhooks.test({ path: { id } });
    const before = await nth(1);
    const present = (await mandat.webhooks.rotate({ path: { id } })).data.secret!;
    expect(present).not.toBe(old);
    await mandat.webhooks.test({ path: { id } });
    const during = await nth(2);

    const isGood = ({ headers, body }: Received, secrets: string | string[]): boolean => {
      try {
        return verifyWebhook(headers, body, secrets).type === 'webhook.test';
      } catch (error) {
        expect(error).toBeInstanceOf(WebhookError);
        return false;
      }
    };
    // A receiver with both secrets accepts signatures before and during the rotation; one without both accepts none.
    for (const delivery of [before, during]) {
      expect(isGood(delivery, [present, old])).toBe(true);
      expect(isGood(delivery, [old, present])).toBe(true);
      expect(isGood(delivery, [other()])).toBe(false);
    }
    expect([present, old].map((secret) => isGood(before, secret))).toEqual([false, true]);
    expect([present, old].map((secret) => isGood(during, secret))).toEqual([true, true]);

    await app.database.query(
      `UPDATE webhook SET secret_precedent_jusqua = now() - interval '1 second' WHERE id_unique = $1`,
      [id],
    );
    await mandat.webhooks.test({ path: { id } });
    const after = await nth(3);
    expect([present, old].map((secret) => isGood(after, secret))).toEqual([true, false]);
  });
});

/** The example of Standard Webhooks 1.0 with a signature `v1a`, and the key pair of Svix that made it. */
const VECTOR = {
  key: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
  at: 1_614_265_330,
  body: '{"test": 2432232314}',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature':
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
  },
};

describe('A signature v1a', () => {
  afterEach(() => jest.restoreAllMocks());
  const at = (seconds: number): void =>
    void jest.spyOn(Date, 'now').mockReturnValue((VECTOR.at + seconds) * 1_000);

  it.each([-300, 0, 300])('of the published vector is verified %s s later', (seconds) => {
    at(seconds);
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!;
    const keys = [`whpk_${Buffer.from(other, 'base64url').toString('base64')}`, VECTOR.key];
    expect(verifyWebhook(VECTOR.headers, VECTOR.body, keys)).toMatchObject({ test: 2_432_232_314 });
    expect(() => verifyWebhook(VECTOR.headers, VECTOR.body, keys[0]!)).toThrow(WebhookError);
  });

  const [, signature] = VECTOR.headers['webhook-signature'].split(' ') as [string, string];
  it.each<[string, { seconds?: number; body?: string; headers?: Record<string, string> }]>([
    ['301 s later', { seconds: 301 }],
    ['301 s before', { seconds: -301 }],
    ['another body', { body: '{"test": 2432232315}' }],
    ['another id', { headers: { 'webhook-id': 'msg_other' } }],
    ['another time', { headers: { 'webhook-timestamp': '1614265331' } }],
    ['a time in another form', { headers: { 'webhook-timestamp': '1614265330.0' } }],
    ['no time', { headers: { 'webhook-timestamp': '' } }],
    ['no id', { headers: { 'webhook-id': '' } }],
    ['no signature', { headers: { 'webhook-signature': '' } }],
    ['a signature v1 only', { headers: { 'webhook-signature': signature.replace('v1a,', 'v1,') } }],
    ['a changed signature', { headers: { 'webhook-signature': signature.replace('hnO3', 'hnO4') } }],
    ['half a signature', { headers: { 'webhook-signature': signature.slice(0, 40) } }],
  ])('is rejected with %s', (_what, { seconds = 0, body = VECTOR.body, headers = {} }) => {
    at(seconds);
    expect(() => verifyWebhook({ ...VECTOR.headers, ...headers }, body, VECTOR.key)).toThrow(WebhookError);
  });

  it('a key of another length is a TypeError', () => {
    expect(() => verifyWebhook(VECTOR.headers, VECTOR.body, 'whpk_AAAA')).toThrow(TypeError);
  });

  it('is that of a delivery, and of both keys for 24 hours after a rotation', async () => {
    const url = receiver.url + path;
    const body = { url, types: ['adhesion.signee'], signature: 'v1a' } as const;
    const { data } = await mandat.webhooks.create({ body: { ...body, types: [...body.types] } });
    expect([data.secret, data.clePublique]).toEqual([null, expect.stringMatching(/^whpk_[\w+/]{43}=$/)]);
    const { id, clePublique: old } = data;
    await mandat.webhooks.test({ path: { id } });
    const before = await nth(1);
    expect(before.headers['webhook-signature']).toMatch(/^v1a,[\w+/]{86}==$/);
    expect(verifyWebhook(before.headers, before.body, old!)).toMatchObject({ data: { webhookId: id } });

    const { data: rotated } = await mandat.webhooks.rotate({ path: { id } });
    const present = rotated.clePublique!;
    expect([rotated.secret, present === old]).toEqual([null, false]);
    expect((await mandat.webhooks.get({ path: { id } })).data.clePublique).toBe(present);
    await mandat.webhooks.test({ path: { id } });
    const during = await nth(2);
    for (const key of [old!, present])
      expect(verifyWebhook(during.headers, during.body, key)).toMatchObject({ data: { webhookId: id } });
    expect(() => verifyWebhook(before.headers, before.body, present)).toThrow(WebhookError);
  });

  it('an endpoint changes its signature by a rotation, and both sign meanwhile', async () => {
    const { id, secret } = await endpoint();
    const body = { url: receiver.url + path, types: ['adhesion.signee' as const] };
    const { data: changed } = await mandat.webhooks.replace({
      path: { id },
      body: { ...body, signature: 'v1a' },
    });
    expect([changed.signature, changed.clePublique]).toEqual(['v1a', null]);
    await mandat.webhooks.test({ path: { id } });
    expect(verifyWebhook((await nth(1)).headers, (await nth(1)).body, secret).type).toBe('webhook.test');

    const { data: rotated } = await mandat.webhooks.rotate({ path: { id } });
    await mandat.webhooks.test({ path: { id } });
    const { headers, body: text } = await nth(2);
    expect(headers['webhook-signature']).toMatch(/^v1a,\S{88} v1,\S{44}$/);
    for (const key of [secret, rotated.clePublique!])
      expect(verifyWebhook(headers, text, key).type).toBe('webhook.test');

    // Back to `v1`, the default of an absent `signature`.
    await mandat.webhooks.replace({ path: { id }, body });
    const { data: back } = await mandat.webhooks.rotate({ path: { id } });
    expect([back.signature, back.clePublique, back.secret]).toEqual([
      'v1',
      null,
      expect.stringMatching(/^whsec_/),
    ]);
  });
});
