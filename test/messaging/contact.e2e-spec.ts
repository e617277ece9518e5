import type { INestApplication } from '@nestjs/common';
import { simpleParser } from 'mailparser';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Receiver, until } from '../webhooks/support/receiver';
import { Space } from '../webhooks/support/space';
import { MailServer } from './support/mail-server';
import { mailing, Post } from './support/post';

const app = perFile(() => TestApp.own('a worker runs'));
let server: MailServer;
let receiver: Receiver;
let worker: INestApplication;

beforeAll(async () => {
  server = await MailServer.start();
  receiver = await Receiver.start();
  worker = await startWorker(mailing(app.config, `${server.url}?tls=off`));
});
afterAll(async () => {
  await worker.close();
  await server.stop();
  await receiver.stop();
});

/** Disables an endpoint of a client with this technical contact. @returns its data space, after the endpoint was disabled */
async function disabled(change: object): Promise<{ space: Space; post: Post; id: string; url: string }> {
  const space = await Space.open(app);
  const post = Post.of(app, space.tenant);
  await post.client(change);
  const url = `${receiver.url}/gone?a=1&lt;b`;
  receiver.behaviours.set('/gone?a=1&lt;b', (_received, response) => void response.writeHead(410).end());
  const { id } = await space.endpoint({ url });
  expect((await space.send('POST', `/b2b/v2/webhook/${id}/test`)).status).toBe(202);
  await until('the endpoint is disabled', async () => {
    const { json } = await space.send('GET', `/b2b/v2/webhook/${id}`);
    return json.actif === false;
  });
  return { space, post, id, url: (await space.send('GET', `/b2b/v2/webhook/${id}`)).json.url as string };
}

const emails = async ({ post }: { post: Post }): Promise<number> =>
  (await post.rows('SELECT FROM courriel WHERE tenant_id = $1')).length;

describe('The technical contact of a client', () => {
  it('gets an email with the remedy when an endpoint is disabled, also in staging', async () => {
    const organisation = { contactTechnique: 'Integration@Exemple-Québec.org' };
    const one = await disabled({ organisation, nom: `Syndicat ${Date.now()}` });
    const to = 'integration@exemple-québec.org';
    await until('the e-mail is sent', () => Promise.resolve(server.accepted.some((sent) => sent.to === to)));
    const mail = await simpleParser(server.accepted.find((sent) => sent.to === to)!.raw);
    expect(mail.subject).toBe(`Webhook désactivé\u00a0: ${new URL(receiver.url).host}`);
    expect(mail.from!.value[0]!.name).toMatch(/^Syndicat \d+ \(staging\)/);
    const text = mail.text!.replaceAll(/\s+/g, ' ');
    expect(text).toContain(one.url);
    expect(text).toContain(`PUT /b2b/v2/webhook/${one.id}`);
    expect(mail.html).toContain('/gone?a=1&amp;lt;b');
    expect(await emails(one)).toBe(1);
  });

  it.each([
    ['is a name', { organisation: { contactTechnique: 'Zoé Roy <zoe@example.org>' } }],
    ['is not set', { organisation: { contactTechnique: null } }],
    [
      'has an address, and the quota allows none',
      { organisation: { contactTechnique: 'it@example.org' }, quotaCourrielsParJour: 0 },
    ],
  ])('gets none if it %s', async (_what, change) => {
    expect(await emails(await disabled(change))).toBe(0);
  });
});
