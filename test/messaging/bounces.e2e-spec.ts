import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import type { Answer } from '../setup/test-app';
import { perFile } from '../setup/fixtures';
import { startWorker } from '../setup/test-worker';
import { Campaigns } from '../voting/support/campaigns';
import { MailServer } from './support/mail-server';
import { until } from '../webhooks/support/receiver';
import { mailing, Post } from './support/post';
import { exchange, fields, gmail, messageIdOf, postfix } from './support/reports';

const RETOURS = '/plateforme/v1/courriels/retours';
const NOTHING = '0198c2d4-0000-7000-8000-000000000000';
const NONE = {
  nombreRecus: 1,
  nombreRejetes: 0,
  nombreRetardes: 0,
  nombreDejaConnus: 0,
  nombreIgnores: 0,
  nombreInconnus: 0,
};
const REJECTED = { ...NONE, nombreRejetes: 1 };
const KNOWN = { ...NONE, nombreDejaConnus: 1 };
const UNKNOWN = { ...NONE, nombreInconnus: 1 };

const app = perFile(() => TestApp.own('a worker runs'));
afterEach(() => app.database.query('DELETE FROM pgboss.job'));

/** A tenant with an email, and its platform key. */
class Bounces {
  private constructor(
    readonly post: Post,
    readonly platform: { cle: string },
    readonly email: string,
    /** Ids of the recipients, in their order. */
    readonly ids: string[],
  ) {}

  /** Sends an email to employees that the mail server has accepted. */
  static async open(count = 1): Promise<Bounces> {
    const post = await Post.open(app);
    const { id } = await post.email({ idExternes: await post.employes(count) });
    return Bounces.accepted(post, id);
  }

  /** A tenant whose emails the test reads itself. */
  static async of(post: Post): Promise<Bounces> {
    return new Bounces(post, await app.platformOf(post.tenant), '', []);
  }

  static async accepted(post: Post, email: string): Promise<Bounces> {
    const ids = await post.rows<{ id: string }>(
      `UPDATE courriel_destinataire SET etat = 'Envoye', echeance = NULL, porteur = gen_random_uuid()
       WHERE tenant_id = $1 AND courriel_id = $2 AND etat = 'EnAttente' RETURNING id_unique AS id, ordre`,
      email,
    );
    return new Bounces(
      post,
      await app.platformOf(post.tenant),
      email,
      ids.map(({ id }) => id),
    );
  }

  send(body: unknown, type = 'application/json', headers: Record<string, string> = {}): Promise<Answer> {
    return app.send(this.platform, 'POST', RETOURS, body, { 'Content-Type': type, ...headers });
  }

  /** Reports as JSON. @returns the response, which must be a 200 */
  async report(...records: object[]): Promise<object> {
    const { status, json } = await this.send(
      records.map((one) => ({
        messageId: messageIdOf(this.ids[0]!),
        action: 'failed',
        statut: '5.1.1',
        ...one,
      })),
    );
    expect(status).toBe(200);
    return json as object;
  }

  /** Returns the recipients. */
  all(query = ''): Promise<Answer['json'][]> {
    return this.post.destinataires(this.email, query);
  }

  audit(): Promise<object[]> {
    return this.post.rows(
      `SELECT objet_id AS id, detail FROM journal WHERE tenant_id = $1 AND action = 'courriel.noterRetours'`,
    );
  }
}

describe('POST /plateforme/v1/courriels/retours', () => {
  it.each<[string, (id: string) => string, object]>([
    ['Postfix', postfix, { statut: '5.1.1', raison: 'Adresse', codeSmtp: 550 }],
    ['Exchange', exchange, { statut: '5.2.2', raison: 'BoiteAuxLettres', codeSmtp: 554 }],
    ['Gmail', gmail, { statut: '5.7.1', raison: 'Politique', codeSmtp: 550 }],
  ])(
    'a notification of %s makes the recipient Rejete once; the email counts it',
    async (_name, sample, reason) => {
      const bounces = await Bounces.open(2);
      const report = sample(bounces.ids[1]!);
      const first = await bounces.send(report, 'message/rfc822');
      expect([first.status, first.json]).toEqual([200, REJECTED]);
      const rows = await bounces.all();
      expect(rows).toMatchObject([
        { etat: 'Envoye', statut: null, raison: null },
        { idExterne: 'E-1', etat: 'Rejete', ...reason },
      ]);
      expect(await bounces.all('?etat=Rejete')).toEqual([rows[1]]);
      expect(await bounces.post.etats(bounces.email)).toMatchObject({ envoyes: 1, rejetes: 1 });
      expect((await bounces.send(report, 'message/rfc822')).json).toEqual(KNOWN);
      expect(await bounces.all()).toEqual(rows);
      expect(await bounces.audit()).toEqual([{ id: bounces.email, detail: null }]);
    },
  );

  it('takes the body of a report, its fields alone in any charset, and a quoted header', async () => {
    const bounces = await Bounces.open(4);
    const [one, two, three, four] = bounces.ids as [string, string, string, string];
    const [head, ...rest] = postfix(one).split('\r\n\r\n');
    const type = /Content-Type: (multipart[^]*?")\r\n/.exec(head!)![1]!.replaceAll(/\s+/g, ' ');
    expect((await bounces.send(rest.join('\r\n\r\n'), type)).json).toEqual(REJECTED);
    const latin = Buffer.from(fields(two, ['Action: Failed', 'Status: 5.2.1 (boîte fermée)']), 'latin1');
    expect((await bounces.send(latin, 'message/delivery-status; charset=iso-8859-1')).json).toEqual(REJECTED);
    const header = postfix(three).replace(
      'Content-Type: message/rfc822',
      'Content-Type: text/rfc822-headers',
    );
    expect((await bounces.send(header, 'Message/RFC822')).json).toEqual(REJECTED);
    // Line ends of Unix, and a quoted message that the relay has cut.
    const unix = postfix(four).replaceAll('\r\n', '\n').split('Subject: =?UTF-8')[0]!;
    expect((await bounces.send(unix, 'message/rfc822')).json).toEqual(REJECTED);
    expect(await bounces.all()).toMatchObject(
      ['5.1.1', '5.2.1', '5.1.1', '5.1.1'].map((statut) => ({ statut })),
    );
  });

  it('delayed keeps the state and shows the status; success changes nothing; a message that reached one mailbox of an alias has not failed', async () => {
    const bounces = await Bounces.open();
    const [id] = bounces.ids as [string];
    const of = (...recipients: string[][]) =>
      bounces.send(fields(id, ...recipients), 'message/delivery-status');
    const delayed = ['Action: delayed', 'Status: 4.4.1', 'Will-Retry-Until: Wed, 2 Dec 2026 10:00:00 +0000'];
    expect((await of(delayed)).json).toEqual({ ...NONE, nombreRetardes: 1 });
    const row = { etat: 'Envoye', statut: '4.4.1', raison: 'Reseau' };
    expect(await bounces.all()).toMatchObject([row]);
    expect((await of(delayed)).json).toEqual(KNOWN);
    const failed = ['Action: failed', 'Status: 5.0.0'];
    for (const action of ['delivered', 'relayed', 'expanded'])
      expect((await of([`Action: ${action}`, 'Status: 2.0.0'], failed)).json).toEqual({
        ...NONE,
        nombreIgnores: 1,
      });
    expect(await bounces.all()).toMatchObject([row]);
    // Negative control: one that reached none of them has.
    expect((await of(failed, failed)).json).toEqual(REJECTED);
    expect(await bounces.all()).toMatchObject([{ etat: 'Rejete', statut: '5.0.0', raison: 'Autre' }]);
    expect((await of(delayed)).json).toEqual(KNOWN);
    expect(await bounces.all()).toMatchObject([{ etat: 'Rejete', statut: '5.0.0' }]);
  });

  it('takes a list as JSON and counts each notification', async () => {
    const bounces = await Bounces.open(3);
    const [one, two, three] = bounces.ids as [string, string, string];
    const report = await bounces.report(
      {
        messageId: one,
        destinataire: 'zoe@example.org',
        raison: '554 5.7.1 <zoe@example.org> refuse',
        statut: null,
      },
      { messageId: messageIdOf(one.toUpperCase()) },
      { messageId: messageIdOf(two), action: 'delayed', statut: '4.2.2' },
      { messageId: `${two}@relais.example.org`, statut: '4.4.7' },
      { messageId: messageIdOf(three), action: 'delivered', statut: null },
      { messageId: messageIdOf(NOTHING) },
      { messageId: 'CAF=x1@mail.example.org' },
    );
    expect(report).toEqual({
      nombreRecus: 7,
      nombreRejetes: 2,
      nombreRetardes: 1,
      nombreDejaConnus: 1,
      nombreIgnores: 1,
      nombreInconnus: 2,
    });
    expect(await bounces.all()).toMatchObject([
      { etat: 'Rejete', statut: '5.7.1', raison: 'Politique', codeSmtp: 554 },
      { etat: 'Rejete', statut: '4.4.7', raison: 'Reseau', codeSmtp: null },
      { etat: 'Envoye', statut: null, raison: null },
    ]);
    expect(await bounces.audit()).toHaveLength(1);
  });

  it('stores no address and no text of the relay', async () => {
    const bounces = await Bounces.open();
    const address = 'tres.secrete@example.net';
    expect((await bounces.send(postfix(bounces.ids[0]!, address), 'message/rfc822')).json).toEqual(REJECTED);
    for (const table of ['courriel_destinataire', 'journal', 'idempotency_record', 'courriel']) {
      const rows = await bounces.post.rows(
        `SELECT to_json(t)::text AS text FROM ${table} t WHERE tenant_id = $1`,
      );
      expect(JSON.stringify(rows)).not.toMatch(/secrete|User unknown|Recipient address/);
    }
  });

  it('a recipient of another tenant is as unknown as none, and stays', async () => {
    const [own, other] = [await Bounces.open(), await Bounces.open()];
    const before = await other.all();
    const foreign = await own.send(postfix(other.ids[0]!), 'message/rfc822');
    const unknown = await own.send(postfix(NOTHING), 'message/rfc822');
    expect([foreign.status, foreign.json]).toEqual([200, UNKNOWN]);
    expect([unknown.status, unknown.text]).toEqual([200, foreign.text]);
    expect(await own.report({ messageId: messageIdOf(other.ids[0]!) })).toEqual(UNKNOWN);
    expect(await other.all()).toEqual(before);
    expect(await own.audit()).toEqual([]);
    // Negative control.
    expect((await other.send(postfix(other.ids[0]!), 'message/rfc822')).json).toEqual(REJECTED);
  });

  it('after the erasure of the person, and after the purge of the email: 200', async () => {
    const bounces = await Bounces.open(2);
    for (const id of ['E-0', 'E-1']) {
      const path = `/admin/v1/clients/${bounces.post.tenant.clientId}/environnements/staging/employes/${id}`;
      const answer = await app.send(app.adminKey, 'DELETE', path);
      expect([answer.status, answer.text]).toEqual([204, '']);
    }
    expect((await bounces.send(postfix(bounces.ids[0]!), 'message/rfc822')).json).toEqual(REJECTED);
    expect(await bounces.all()).toMatchObject([{ idExterne: null, etat: 'Rejete' }, { etat: 'Envoye' }]);
    await bounces.post.rows('DELETE FROM courriel WHERE tenant_id = $1');
    expect((await bounces.send(postfix(bounces.ids[1]!), 'message/rfc822')).json).toEqual(UNKNOWN);
  });

  it('a message that was never handed over, and one that the server rejected, stay as they are', async () => {
    const bounces = await Bounces.open(2);
    await bounces.post.rows(
      `UPDATE courriel_destinataire SET etat = 'EnAttente', echeance = now(), porteur = NULL WHERE tenant_id = $1 AND id_unique = $2`,
      bounces.ids[0],
    );
    await bounces.post.rows(
      `UPDATE courriel_destinataire SET etat = 'Refuse', code_smtp = 550 WHERE tenant_id = $1 AND id_unique = $2`,
      bounces.ids[1],
    );
    const before = await bounces.all();
    expect(await bounces.report({}, { messageId: bounces.ids[1] })).toMatchObject({
      nombreIgnores: 1,
      nombreDejaConnus: 1,
    });
    expect(await bounces.all()).toEqual(before);
  });

  it('twenty repetitions at once reject the recipient once', async () => {
    const bounces = await Bounces.open();
    const answers = await Promise.all(Array.from({ length: 20 }, () => bounces.report({})));
    const counts = answers.map((answer) => (answer as typeof NONE).nombreRejetes);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await bounces.audit()).toHaveLength(1);
  });

  it('a repetition with the same Idempotency-Key replays the response', async () => {
    const bounces = await Bounces.open();
    const send = () =>
      bounces.send(postfix(bounces.ids[0]!), 'message/rfc822', { 'Idempotency-Key': 'retour-1' });
    expect((await send()).json).toEqual(REJECTED);
    const again = await send();
    expect([again.json, again.headers.get('idempotent-replayed')]).toEqual([REJECTED, 'true']);
  });
});

describe('The script for Postfix in docs/operations.md', () => {
  const [, script] = /```sh\n(#!\/bin\/sh\n[^]*?)```/.exec(readFileSync('docs/operations.md', 'utf8'))!;
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mandat-retours-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs the script with keys. @returns its exit code */
  function run(keys: readonly string[], url: string, message: string): Promise<number | null> {
    const list = join(folder, 'keys');
    writeFileSync(list, keys.map((key) => `${key}\n`).join(''));
    const text = script!
      .replace('/etc/mandat/cles-plateforme', list)
      .replace('https://mandat.example.org', url);
    const child = spawn('sh', ['-c', text], { stdio: ['pipe', 'inherit', 'inherit'] });
    child.stdin.end(message);
    return new Promise((resolve) => child.on('close', resolve));
  }

  it('reports a notification with the key that knows the message, drops others, and is repeated if the service is unavailable', async () => {
    const [one, other] = [await Bounces.open(), await Bounces.open(2)];
    const keys = [one.platform.cle, other.platform.cle];
    expect(await run(keys, app.url, postfix(other.ids[1]!))).toBe(0);
    expect(await other.all()).toMatchObject([{ etat: 'Envoye' }, { etat: 'Rejete', statut: '5.1.1' }]);
    expect(await one.all()).toMatchObject([{ etat: 'Envoye' }]);
    expect(await run(keys, app.url, postfix(NOTHING))).toBe(0);
    expect(await run(keys, app.url, 'Subject: Absente\n\nJe suis absente.\n')).toBe(0);
    expect(await run(['mdt_stg_x'], app.url, postfix(one.ids[0]!))).toBe(75);
    expect(await run(keys, 'http://127.0.0.1:1', postfix(one.ids[0]!))).toBe(75);
    expect(await one.all()).toMatchObject([{ etat: 'Envoye' }]);
  });
});

describe('A body that is no notification', () => {
  it.each<[string, string, string]>([
    [
      'an automatic reply',
      'message/rfc822',
      'From: zoe@example.net\r\nSubject: Absente\r\n\r\nJe suis absente.\r\n',
    ],
    ['fields without an action', 'message/delivery-status', 'Reporting-MTA: dns; x\r\n\r\nStatus: 5.1.1\r\n'],
    [
      'an unknown action',
      'message/delivery-status',
      'Reporting-MTA: dns; x\r\n\r\nAction: perdu\r\nStatus: 5.1.1\r\n',
    ],
    ['a report without its boundary', 'multipart/report', 'Action: failed\r\n'],
    ['a header of 100 kB', 'message/rfc822', `X: ${'a'.repeat(100_000)}\r\n${postfix(NOTHING)}`],
    ['1,000 parts', 'multipart/report; boundary=a', '--a\r\nA: b\r\n\r\nc\r\n'.repeat(1_000)],
    ['nothing readable', 'message/rfc822', '\u0000\u0001\u00ff'.repeat(1_000)],
  ])('%s is 400 Courriel.RetourIllisible, without a word of it', async (_name, type, body) => {
    const bounces = await Bounces.open();
    const answer = await bounces.send(body, type);
    expectProblem(answer, 400, 'Courriel.RetourIllisible');
    expect(answer.text).not.toMatch(/absente|perdu/i);
  });

  it('other media types are 415 and name those that it takes; more than 1 MB is 413; no body is 400', async () => {
    const bounces = await Bounces.open();
    const other = await bounces.send(postfix(NOTHING), 'text/plain');
    expectProblem(other, 415, 'Requete.TypeNonSupporte');
    expect(other.json.detail).toContain(
      'application/json, message/delivery-status, message/rfc822, multipart/report.',
    );
    expectProblem(
      await bounces.send('a'.repeat(1_048_577), 'message/rfc822'),
      413,
      'Requete.TropVolumineuse',
    );
    expectFaults(await bounces.send(undefined, 'message/rfc822'), { '': 'type' });
    // Other operations take no such body.
    const { post } = bounces;
    expectProblem(
      await post.send('POST', '/b2b/v2/courriel', postfix(NOTHING), { 'Content-Type': 'message/rfc822' }),
      415,
      'Requete.TypeNonSupporte',
    );
  });

  it('a list with faults is 400 that names each, and changes nothing', async () => {
    const bounces = await Bounces.open();
    const record = { messageId: messageIdOf(bounces.ids[0]!), action: 'failed' };
    const answer = await bounces.send([
      record,
      record,
      { ...record, action: 'perdu' },
      { action: 'failed' },
      { ...record, adresse: 'zoe@example.org' },
      'x',
    ]);
    expectFaults(answer, {
      '/2/action': 'choice',
      '/3/messageId': 'required',
      '/4/adresse': 'unknown',
      '/5': 'type',
    });
    expectFaults(await bounces.send([record, { ...record, statut: '2.0.0' }]), { '/1/statut': 'format' });
    expectFaults(await bounces.send([]), { '': 'length' });
    expectFaults(await bounces.send(Array.from({ length: 1_001 }, () => record)), { '': 'length' });
    expectFaults(await bounces.send(record), { '': 'type' });
    expect(await bounces.all()).toMatchObject([{ etat: 'Envoye' }]);
  });

  it('bodies that take long to read elsewhere are answered within 15 s on a busy machine', async () => {
    const bounces = await Bounces.open();
    const most = 1_000_000;
    const slow = [
      '\n'.repeat(most),
      `Content-Type: multipart/report; boundary=a\n\n${'--a\n\n'.repeat(most / 5)}`,
      `To: ${'a@b,'.repeat(most / 4)}\n\nx`,
      `Content-Type: text/html\n\n${'<'.repeat(most)}`,
      'Content-Type: message/rfc822\n\n'.repeat(most / 32),
    ];
    for (const body of slow) {
      const begin = performance.now();
      expectProblem(await bounces.send(body, 'message/rfc822'), 400, 'Courriel.RetourIllisible');
      expect(performance.now() - begin).toBeLessThan(15_000);
    }
  });

  it('a partner key is 403', async () => {
    const post = await Post.open(app);
    expectProblem(await app.send(post.tenant, 'POST', RETOURS, []), 403, 'Cle.RoleInsuffisant');
  });
});

describe('Voters whose mailbox rejects', () => {
  it('the roll shows Rejete with the reason, and nonJoints selects those whom no email has reached', async () => {
    const post = await Post.open(app);
    await post.employes(1, 'V');
    const campaigns = new Campaigns(app, post.tenant);
    const id = await campaigns.draft();
    const voter = (name: string, rest: object = {}): Promise<string> =>
      campaigns.votant(id, { Courriel: `${name}@example.org`, ...rest });
    const reached = await voter('atteinte');
    const rejected = await voter('rejetee');
    const twin = await voter('REJETEE');
    const employee = await voter('copie', { EmployeIdExterne: 'V-0' });
    const voted = await voter('avote');
    const barred = await voter('sansdroit', { ADroitDeVote: false });
    const without = await campaigns.votant(id);
    const shared = await voter('ATTEINTE');
    await campaigns.markVoted(id, voted);
    const { id: email } = await post.email({ campagneId: id, cible: 'tous' });
    const bounces = await Bounces.accepted(post, email);
    const rowOf = new Map<string, string>(
      (
        await post.rows<{ votant: string; id: string }>(
          'SELECT votant_id AS votant, id_unique AS id FROM courriel_destinataire WHERE tenant_id = $1',
        )
      ).map(({ votant, id }) => [votant, id]),
    );
    for (const one of [rejected, employee, voted, barred])
      await bounces.report({
        messageId: messageIdOf(rowOf.get(one)!),
        statut: one === employee ? '5.2.1' : '5.1.1',
      });
    const late = await voter('tardive');

    const shown = ({ EtatCourriel, StatutCourriel, RaisonCourriel }: Record<string, unknown>) => [
      EtatCourriel,
      StatutCourriel,
      RaisonCourriel,
    ];
    const roll = (await campaigns.sent('GET', `/${id}/votants`)).json as { VotantId: string }[];
    const lastOf = new Map(roll.map((one) => [one.VotantId, shown(one)]));
    const rejection = ['Rejete', '5.1.1', 'Adresse'];
    const state = (etat: string) => [etat, null, null];
    expect(lastOf).toEqual(
      new Map<string, unknown[]>([
        [reached, state('Envoye')],
        [rejected, rejection],
        [twin, state('Doublon')],
        [employee, ['Rejete', '5.2.1', 'BoiteAuxLettres']],
        [voted, rejection],
        [barred, rejection],
        [without, state('SansAdresse')],
        [shared, state('Doublon')],
        [late, [null, null, null]],
      ]),
    );
    expect(shown((await campaigns.sent('GET', `/${id}/votants/${rejected}`)).json)).toEqual(rejection);
    const csv = await post.send('GET', `/b2b/v1/campagnes/${id}/votants`, undefined, { Accept: 'text/csv' });
    expect(csv.text).toContain('EtatCourriel,StatutCourriel,RaisonCourriel\r\n');
    expect(csv.text).toMatch(/rejetee@example\.org.*,Rejete,5\.1\.1,Adresse\r\n/);

    // Those left out were reached, share the address of one who was, have voted, or may not vote.
    const again = await post.email({ campagneId: id, cible: 'nonJoints' });
    const votants = (await post.destinataires(again.id)).map(
      ({ votantId, etat }: Record<string, unknown>) => [votantId, etat],
    );
    expect(votants).toEqual([
      [rejected, 'EnAttente'],
      [twin, 'Doublon'],
      [employee, 'EnAttente'],
      [without, 'SansAdresse'],
      [late, 'EnAttente'],
    ]);

    // The next email may still reach them; the roll shows its state.
    const left = await post.email({ campagneId: id, cible: 'nonJoints' });
    expect((await post.destinataires(left.id)).map(({ votantId }: { votantId: string }) => votantId)).toEqual(
      [without],
    );
    await campaigns.sent('DELETE', `/${id}/votants/${without}`);
    const none = { destinataires: { campagneId: id, cible: 'nonJoints' }, sujet: 'x', corpsHtml: '<p>x</p>' };
    expectProblem(await post.send('POST', '/b2b/v2/courriel', none), 400, 'Courriel.AucunDestinataire');
    const read = (await campaigns.sent('GET', `/${id}/votants/${rejected}`)).json;
    expect(shown(read)).toEqual(state('EnAttente'));
    // An upsert ignores these fields.
    expect((await campaigns.sent('POST', `/${id}/votants/upsert`, read)).json).toEqual(read);
  });

  it('emails of another campaign, and of another tenant, do not count', async () => {
    const post = await Post.open(app);
    const campaigns = new Campaigns(app, post.tenant);
    const [one, other] = [await campaigns.draft(), await campaigns.draft()];
    const voter = { Courriel: 'zoe@example.org' };
    const [votant] = [await campaigns.votant(one, voter), await campaigns.votant(other, voter)];
    await Bounces.accepted(post, (await post.email({ campagneId: other, cible: 'tous' })).id);
    const email = await post.email({ campagneId: one, cible: 'nonJoints' });
    expect(await post.destinataires(email.id)).toMatchObject([{ votantId: votant, etat: 'EnAttente' }]);
  });
});

describe('The message that the worker sends', () => {
  it('has a Message-ID and an envelope id by which a notification finds its recipient', async () => {
    const server = await MailServer.start({ hideDSN: false });
    const post = await Post.open(app);
    const { id } = await post.email({ idExternes: await post.employes(2, 'M') });
    const worker = await startWorker(mailing(app.config, `${server.url}?tls=off`));
    await post.over(id);
    await worker.close();
    await server.stop();
    const bounces = await Bounces.of(post);
    const [zero] = await server.read('m-0@example.org');
    const destinataire = /^<(.*)@mandat\.test>$/.exec(zero!.messageId!)![1]!;
    expect((await bounces.send(postfix(destinataire), 'message/rfc822')).json).toEqual(REJECTED);
    const { dsn } = server.accepted.find(({ to }) => to === 'm-1@example.org')!;
    expect(dsn).toMatchObject({ ret: 'HDRS' });
    const report = fields(dsn!.envid!, ['Action: failed', 'Status: 5.1.1']);
    expect((await bounces.send(report, 'message/delivery-status')).json).toEqual(REJECTED);
    expect(await post.etats(id)).toMatchObject({ envoyes: 0, rejetes: 2 });
  });

  it('may be reported before the response of the mail server is recorded, which then changes nothing', async () => {
    const server = await MailServer.start();
    server.delayMs = () => 1_500;
    const post = await Post.open(app);
    const { id } = await post.email({ idExternes: await post.employes(1, 'P') });
    const worker = await startWorker(mailing(app.config, `${server.url}?tls=off`));
    await until('the message has ended', async () => (await post.etats(id)).enCours === 1);
    const [row] = await post.rows<{ id: string }>(
      'SELECT id_unique AS id FROM courriel_destinataire WHERE tenant_id = $1',
    );
    const bounces = await Bounces.of(post);
    expect((await bounces.send(postfix(row!.id), 'message/rfc822')).json).toEqual(REJECTED);
    await until('the server has responded', () => server.accepted.length === 1);
    await worker.close();
    await server.stop();
    expect(await post.destinataires(id)).toMatchObject([{ etat: 'Rejete', statut: '5.1.1' }]);
  });
});
