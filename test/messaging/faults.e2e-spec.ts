import type { INestApplication } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExpeditionRepository } from '../../libs/messaging/src/persistence/expedition.repository';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { until } from '../webhooks/support/receiver';
import { faultsOf } from './support/judge';
import { MailServer, type Phase } from './support/mail-server';
import { addressOf, hurryUp, mailing, PATH, Post } from './support/post';

const NOBODY = {
  enAttente: 0,
  enCours: 0,
  envoyes: 0,
  retenus: 0,
  refuses: 0,
  rejetes: 0,
  incertains: 0,
  sansAdresse: 0,
  doublons: 0,
};

let app: TestApp;
let server: MailServer;
const workers: INestApplication[] = [];

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
});
beforeEach(async () => {
  server = await MailServer.start();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await server.stop();
  await app.database.query(`DELETE FROM pgboss.job`);
});
afterAll(() => app.stop());

async function work(query = '?tls=off'): Promise<INestApplication> {
  const worker = await startWorker(mailing(app.config, server.url + query));
  workers.push(worker);
  return worker;
}

async function faults(post: Post, id: string): Promise<object> {
  const rows = await post.destinataires(id);
  const etats = rows.map((row: { idExterne: string; etat: string }): [string, string] => [
    addressOf(row.idExterne),
    row.etat,
  ]);
  return faultsOf({ taken: server.counts(), etats: new Map(etats) });
}

describe('Responses of the mail server', () => {
  it('after 4xx the message is retried and sent, after 5xx it has failed; each recipient has its own code', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(5, 'C');
    const seen = new Map<string, number>();
    const codes: Record<string, [Phase, number, number]> = {
      'c-0@example.org': ['rcpt', 450, 1],
      'c-1@example.org': ['rcpt', 550, Infinity],
      'c-2@example.org': ['dot', 451, 1],
      'c-3@example.org': ['dot', 554, Infinity],
    };
    server.judge = (phase, to) => {
      const [at, code, times] = codes[to] ?? [];
      if (phase !== at || !code || !times) return 'accept';
      seen.set(to, (seen.get(to) ?? 0) + 1);
      return seen.get(to)! <= times ? { code } : 'accept';
    };
    const { id } = await post.email({ idExternes: ids });
    await work();
    await until('the first attempts are over', async () => {
      const { enAttente, refuses, envoyes } = await post.etats(id);
      return enAttente === 2 && refuses === 2 && envoyes === 1;
    });
    const put = await post.destinataires(id, '?etat=EnAttente');
    expect(put).toMatchObject([
      { idExterne: 'C-0', codeSmtp: 450 },
      { idExterne: 'C-2', codeSmtp: 451 },
    ]);
    expect(await post.over(id, { hurry: true })).toMatchObject({ envoyes: 3, refuses: 2 });
    expect(await post.destinataires(id, '?etat=Refuse')).toMatchObject([
      { idExterne: 'C-1', codeSmtp: 550 },
      { idExterne: 'C-3', codeSmtp: 554 },
    ]);
    expect(await faults(post, id)).toEqual({});
    expect(Object.fromEntries(seen)).toEqual({
      'c-0@example.org': 2,
      'c-1@example.org': 1,
      'c-2@example.org': 2,
      'c-3@example.org': 1,
    });
  });

  it.each<Phase>(['connect', 'mail', 'rcpt', 'data', 'dot'])(
    'a server that dies at %s and comes back gets each message once',
    async (dying) => {
      const post = await Post.open(app);
      const ids = await post.employes(40, `D${dying}`);
      let cuts = 0;
      server.judge = (phase) => (phase === dying && ++cuts % 3 === 1 && cuts < 60 ? 'cut' : 'accept');
      const { id } = await post.email({ idExternes: ids });
      await work();
      await until('the server dies', () => cuts >= 3);
      await server.stop();
      await sleep(300);
      await server.listen();
      expect(await post.over(id, { hurry: true })).toEqual({ ...NOBODY, envoyes: 40 });
      expect(await faults(post, id)).toEqual({});
      // Messages that ended without a response were sent again.
      if (dying === 'dot') expect(server.ended).toBeGreaterThan(server.accepted.length);
    },
  );

  it('a connection is used for many messages', async () => {
    const post = await Post.open(app);
    let connections = 0;
    server.judge = (phase) => {
      if (phase === 'connect') connections++;
      return 'accept';
    };
    const { id } = await post.email({ idExternes: await post.employes(60, 'M') });
    await work();
    await post.over(id);
    expect(server.accepted).toHaveLength(60);
    // The number of messages that are sent at once.
    expect(connections).toBeLessThanOrEqual(8);
  });

  it('a rejected sender or login does not count as a rejected recipient', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(3, 'S');
    let refused = 0;
    server.judge = (phase) => (phase === 'mail' && ++refused <= 2 ? { code: 550 } : 'accept');
    const { id } = await post.email({ idExternes: ids });
    await work();
    expect(await post.over(id, { hurry: true })).toMatchObject({ envoyes: 3, refuses: 0 });
    expect(refused).toBeGreaterThan(2);
  });

  it('a recipient who was not reached in three days has failed', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(2, 'G');
    server.judge = (phase) => (phase === 'rcpt' ? { code: 451 } : 'accept');
    const { id } = await post.email({ idExternes: ids });
    await work();
    await until(
      'they were tried',
      async () => (await post.destinataires(id, '?etat=EnAttente'))[1]?.codeSmtp === 451,
    );
    await post.rows(
      `UPDATE courriel SET date_creation = now() - interval '73 hours' WHERE tenant_id = $1 AND id_unique = $2`,
      id,
    );
    expect(await post.over(id, { hurry: true })).toMatchObject({ refuses: 2 });
    expect(server.begun).toBe(0);
  });
});

describe('The pre-send check', () => {
  it('cuts the connection before the final dot if it fails', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(3, 'F');
    const worker = await work();
    const gate = jest.spyOn(worker.get(ExpeditionRepository), 'letThrough');
    gate.mockResolvedValueOnce(false);
    gate.mockRejectedValueOnce(new Error('out of reach'));
    const { id } = await post.email({ idExternes: ids });
    await until('three messages have begun', () => server.begun >= 3);
    await until('the third is there', () => server.accepted.length === 1);
    await sleep(500);
    // Messages that failed the check were discarded without an end.
    expect({ begun: server.begun, ended: server.ended }).toEqual({ begun: 3, ended: 1 });
    await app.database.query(`UPDATE courriel_destinataire SET echeance = now() WHERE etat = 'EnAttente'`);
    expect(await post.over(id, { hurry: true })).toMatchObject({ envoyes: 3 });
    expect(await faults(post, id)).toEqual({});
  });

  it('stops messages to a previous address of a person, and to deleted persons', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(2, 'P');
    const worker = await work();
    const expeditions = worker.get(ExpeditionRepository);
    const { letThrough } = ExpeditionRepository.prototype;
    jest.spyOn(expeditions, 'letThrough').mockImplementation(async function (
      this: ExpeditionRepository,
      ...asked
    ) {
      // Runs between the last byte of the message and its end.
      if (asked[2] === addressOf('P-0')) {
        await app.database.query(`UPDATE employe SET courriel = 'neuf@example.org' WHERE id_externe = 'P-0'`);
      } else if (asked[2] === addressOf('P-1')) {
        await post.send('DELETE', '/b2b/v1/employe/P-1');
      }
      return letThrough.apply(expeditions, asked);
    });
    const { id } = await post.email({ idExternes: ids });
    await until('both have begun', () => server.begun >= 2);
    await sleep(300);
    await app.database.query(`UPDATE courriel_destinataire SET echeance = now() WHERE etat = 'EnAttente'`);
    expect(await post.over(id, { hurry: true })).toMatchObject({ envoyes: 1, sansAdresse: 1 });
    expect([...server.counts()]).toEqual([['neuf@example.org', 1]]);
    expect(await post.destinataires(id, '?etat=SansAdresse')).toMatchObject([
      { idExterne: null, votantId: null },
    ]);
  });

  it('two workers share an email, each recipient once', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(600, 'W');
    server.delayMs = () => 5;
    const { id } = await post.email({ idExternes: ids });
    const both = await Promise.all([work(), work()]);
    const passed = both.map((worker) => jest.spyOn(worker.get(ExpeditionRepository), 'letThrough'));
    expect(await post.over(id)).toMatchObject({ envoyes: 600 });
    expect(await faults(post, id)).toEqual({});
    for (const spy of passed) expect(spy.mock.calls.length).toBeGreaterThan(0);
  });

  it('only one of two workers with the same recipients passes', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(100, 'Z');
    server.delayMs = () => 200;
    const { id } = await post.email({ idExternes: ids });
    await work();
    await until('the first has begun', () => server.begun > 0);
    // As if the lease of the first worker had expired.
    await app.database.query(
      `UPDATE courriel_destinataire SET echeance = now() WHERE etat = 'EnAttente' AND courriel_id = $1`,
      [id],
    );
    await app.database.query(`UPDATE pgboss.job SET start_after = now() WHERE name = 'courriel'`);
    await work();
    expect(await post.over(id, { hurry: true })).toMatchObject({ envoyes: 100 });
    expect(await faults(post, id)).toEqual({});
    // Both have begun the same messages.
    expect(server.begun).toBeGreaterThan(server.ended);
  });
});

describe('A message between the pre-send check and the record', () => {
  it('is recorded after a retry if the database fails', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(2, 'R');
    const worker = await work();
    const conclude = jest.spyOn(worker.get(ExpeditionRepository), 'conclude');
    conclude.mockRejectedValueOnce(new Error('out of reach'));
    const { id } = await post.email({ idExternes: ids });
    expect(await post.over(id)).toMatchObject({ envoyes: 2 });
    expect(conclude.mock.calls.length).toBeGreaterThan(1);
    expect(await faults(post, id)).toEqual({});
  });

  it('is uncertain without its worker, not sent again, and sent if the response comes after all', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(1, 'I');
    let answer = (): void => undefined;
    server.judge = (phase) =>
      phase === 'dot' ? new Promise((resolve) => (answer = () => resolve('accept'))) : 'accept';
    const { id } = await post.email({ idExternes: ids });
    await work();
    await until('the message has ended', () => server.ended === 1);
    await until('it is on its way', async () => (await post.etats(id)).enCours === 1);
    await app.database.query(`UPDATE courriel_destinataire SET echeance = now() WHERE courriel_id = $1`, [
      id,
    ]);
    await app.database.query(`UPDATE pgboss.job SET start_after = now() WHERE name = 'courriel'`);
    await until('it is in doubt', async () => (await post.etats(id)).incertains === 1);
    await hurryUp(app);
    await sleep(1_000);
    expect(server.begun).toBe(1);
    answer();
    await until('it is sent', async () => (await post.etats(id)).envoyes === 1);
    expect(await faults(post, id)).toEqual({});
  });

  it('delays a stop, which releases the other recipients', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(200, 'X');
    server.delayMs = () => 100;
    const { id } = await post.email({ idExternes: ids });
    const worker = await work();
    await until('it sends', () => server.accepted.length > 10);
    workers.splice(0);
    await worker.close();
    const etats = await post.etats(id);
    expect(etats).toMatchObject({ enCours: 0, incertains: 0, envoyes: server.accepted.length });
    expect(etats.enAttente).toBeGreaterThan(0);
    const [held] = await post.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM courriel_destinataire WHERE tenant_id = $1 AND echeance > now() + interval '6 seconds'`,
    );
    expect(held).toEqual({ count: 0 });
    server.delayMs = () => 0;
    await work();
    expect(await post.over(id, { hurry: true })).toMatchObject({ envoyes: 200 });
    expect(await faults(post, id)).toEqual({});
    expect((await post.send('GET', `${PATH}/${id}`)).status).toBe(200);
  });
});
