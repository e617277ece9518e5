import { setTimeout as wait } from 'node:timers/promises';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { MailServer } from '../messaging/support/mail-server';
import { mailing, Post } from '../messaging/support/post';
import { perFile } from '../setup/fixtures';
import { type Answer, TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Receiver, until } from '../webhooks/support/receiver';
import { Space } from '../webhooks/support/space';

const CLIENTS = '/admin/v1/clients';
const app = perFile(() => TestApp.own('a worker runs'));

const admin = (method: string, path: string, body?: unknown): Promise<Answer> =>
  app.send(app.adminKey, method, CLIENTS + path, body);
const suspend = (clientId: string, raison = 'Impayé'): Promise<Answer> =>
  admin('POST', `/${clientId}/suspendre`, { raison });

/** Makes jobs and recipients that wait due now. */
const hurry = async (): Promise<void> => {
  await app.database.query(`UPDATE pgboss.job SET start_after = now() WHERE state < 'active'`);
};

describe('POST /admin/v1/clients/{clientId}/suspendre and /reprendre', () => {
  it('refuses all keys of the client within 5 s, and takes them again; each is audited once', async () => {
    const tenant = await app.tenant();
    const plateforme = await app.platformOf(tenant);
    const other = await app.tenant();
    const statuses = async (): Promise<number[]> => [
      (await app.send(tenant, 'GET', '/b2b/v1/moi')).status,
      (await app.send(plateforme, 'GET', '/plateforme/v1/adhesions/inconnue')).status,
      (await app.send(other, 'GET', '/b2b/v1/moi')).status,
    ];
    const change = async (expected: number[], work: () => Promise<Answer>): Promise<Answer> => {
      const start = performance.now();
      const answer = await work();
      while (String(await statuses()) !== String(expected) && performance.now() - start < 10_000)
        await wait(50);
      expect(await statuses()).toEqual(expected);
      expect(performance.now() - start).toBeLessThan(5_000);
      return answer;
    };
    expect(await statuses()).toEqual([200, 404, 200]);
    const first = await change([403, 403, 200], () => suspend(tenant.clientId, ' Impayé '));
    expect([first.status, first.json]).toEqual([
      200,
      expect.objectContaining({ raisonSuspension: 'Impayé', suspenduLe: expect.stringMatching(/Z$/) }),
    ]);
    expectProblem(await app.send(tenant, 'GET', '/b2b/v1/moi'), 403, 'Client.Suspendu');
    // The client that a read returned may be sent back.
    const { json: read } = await admin('GET', `/${tenant.clientId}`);
    expect((await admin('PUT', `/${tenant.clientId}`, read)).json).toEqual(first.json);
    const again = await suspend(tenant.clientId, 'Résilié');
    expect(again.json).toEqual({ ...first.json, raisonSuspension: 'Résilié' });
    const resumed = await change([200, 404, 200], () => admin('POST', `/${tenant.clientId}/reprendre`));
    expect(resumed.json).toMatchObject({ suspenduLe: null, raisonSuspension: null });
    expect((await admin('POST', `/${tenant.clientId}/reprendre`)).json).toEqual(resumed.json);
    const { json: journal } = await admin('GET', `/${tenant.clientId}/journal?ordre=desc&limite=4`);
    expect(journal.map(({ action }: { action: string }) => action)).toEqual([
      'client.reprendre',
      'client.suspendre',
      'client.modifier',
      'client.suspendre',
    ]);
  });

  it('400 without a reason; 404 for an unknown client', async () => {
    const { clientId } = await app.tenant();
    for (const body of [{}, { raison: ' ' }, { raison: null }])
      expectFaults(await admin('POST', `/${clientId}/suspendre`, body), { '/raison': 'required' });
    const unknown = '00000000-0000-4000-8000-000000000000';
    expectProblem(await suspend(unknown), 404, 'Client.NotFound');
    expectProblem(await admin('POST', `/${unknown}/reprendre`), 404, 'Client.NotFound');
  });

  it('deliveries and e-mails of a suspended client wait, without an attempt; those of others do not', async () => {
    const receiver = await Receiver.start();
    const server = await MailServer.start();
    const spaces = [await Space.open(app), await Space.open(app)] as const;
    const posts = spaces.map(({ tenant }) => Post.of(app, tenant)) as [Post, Post];
    const emails: string[] = [];
    for (const [at, space] of spaces.entries()) {
      await space.endpoint({ url: `${receiver.url}/${at}` });
      const [id] = await posts[at]!.employes(1, `E${at}`);
      emails.push((await posts[at]!.email({ idExternes: [id] })).id);
    }
    await suspend(spaces[0].tenant.clientId);
    const worker = await startWorker(mailing(app.config, `${server.url}?tls=off`));
    try {
      await posts[1].over(emails[1]!);
      await until('the other client has its delivery', () =>
        Promise.resolve(receiver.received.some(({ path }) => path === '/1')),
      );
      for (let round = 0; round < 3; round++) {
        await hurry();
        await wait(700);
      }
      expect(receiver.received.filter(({ path }) => path === '/0')).toEqual([]);
      expect([...server.counts().keys()]).toEqual(['e1-0@example.org']);
      const [waiting] = await spaces[0].rows(
        `SELECT DISTINCT etat, essais, tentatives FROM livraison WHERE tenant_id = $1`,
      );
      expect(waiting).toEqual({ etat: 'EnAttente', essais: 0, tentatives: [] });
      // A long suspension is not the age at which an email is given up.
      await spaces[0].rows(
        `UPDATE courriel SET date_creation = now() - interval '10 days' WHERE tenant_id = $1`,
      );

      await admin('POST', `/${spaces[0].tenant.clientId}/reprendre`);
      await hurry();
      await until('the delivery is made', () =>
        Promise.resolve(receiver.received.some(({ path }) => path === '/0')),
      );
      await until('the e-mail is sent', async () => {
        await hurry();
        return server.counts().has('e0-0@example.org');
      });
    } finally {
      await worker.close();
      await server.stop();
      await receiver.stop();
    }
  });
});
