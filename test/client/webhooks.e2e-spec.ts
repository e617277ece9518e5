import type { INestApplication } from '@nestjs/common';
import { partenaire, type Partenaire, verifyWebhook, WebhookError } from '@mandat/client';
import { randomBytes } from 'node:crypto';
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
  return data;
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
    const present = (await mandat.webhooks.rotate({ path: { id } })).data.secret;
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
