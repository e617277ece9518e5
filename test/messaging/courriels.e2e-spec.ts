import type { INestApplication } from '@nestjs/common';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { MailServer } from './support/mail-server';
import { addressOf, mailing, Post } from './support/post';

let app: TestApp;
let server: MailServer;
let worker: INestApplication;

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  server = await MailServer.start();
  worker = await startWorker(mailing(app.config, `${server.url}?tls=off`));
});
afterAll(async () => {
  await worker.close();
  await server.stop();
  await app.stop();
});

describe('An email to employees', () => {
  it('arrives as it was written, with plain text, each recipient alone in To', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(2, 'A');
    const line = 'longue '.repeat(400);
    const corpsHtml = `<p>Été 🎉 &amp; <a href="https://exemple.org/v?a=1">vote</a></p>\n.point\n..deux\n<p>${line}</p>`;
    const sujet = `Vote 🗳️ « Été » ${'é'.repeat(80)}`;
    const { id, nombreDestinataires } = await post.email({ idExternes: ids }, { sujet, corpsHtml });
    expect(nombreDestinataires).toBe(2);
    expect(await post.over(id)).toMatchObject({ envoyes: 2, enAttente: 0, enCours: 0 });
    const [row] = await post.rows<{ id: string }>(
      `SELECT id_unique AS id FROM courriel_destinataire WHERE tenant_id = $1 AND courriel_id = $2 AND ordre = 1`,
      id,
    );
    const [mail, ...more] = await server.read(addressOf('A-0'));
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ subject: sujet, messageId: `<${row!.id}@mandat.test>` });
    expect((mail!.html as string).trim()).toBe(corpsHtml);
    expect(mail!.text).toContain('Été 🎉 & vote [https://exemple.org/v?a=1]');
    expect(mail!.to).toMatchObject({ text: addressOf('A-0') });
    const { client } = (await post.send('GET', '/b2b/v1/moi')).json;
    const name = `${client} (staging) via Mandat`;
    expect(mail!.from).toMatchObject({ value: [{ name, address: 'ne-pas-repondre@mandat.test' }] });
    expect(mail!.headers.has('reply-to')).toBe(false);
    expect(mail!.headers.get('content-type')).toMatchObject({ value: 'multipart/alternative' });
    expect(mail!.headers.has('cc')).toBe(false);
    const { from, raw } = server.accepted.find(({ to }) => to === addressOf('A-0'))!;
    expect(from).toBe('ne-pas-repondre@mandat.test');
    for (const text of raw.toString('latin1').split('\r\n')) expect(text.length).toBeLessThanOrEqual(998);
  });
});
