import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { Child } from '../http/child-process';
import { TestApp } from '../setup/test-app';
import { until } from '../webhooks/support/receiver';
import { selfSigned } from '../webhooks/support/certificate';
import { MailServer } from './support/mail-server';
import { Post } from './support/post';

const PASSWORD = 'très secret/@:';
const TLS: SMTPServerOptions = {
  ...selfSigned('localhost'),
  disabledCommands: [],
  authOptional: false,
  onAuth: ({ username, password }, _session, done) =>
    password === PASSWORD ? done(null, { user: username }) : done(new Error('Wrong password of the user')),
};

let app: TestApp;
let folder: string;
let child: Child | undefined;
let server: MailServer | undefined;

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  folder = mkdtempSync(join(tmpdir(), 'mandat-ca-'));
  writeFileSync(join(folder, 'ca.pem'), TLS.cert as string);
});
afterEach(async () => {
  await child?.stop('SIGKILL');
  await server?.stop();
  await app.database.query('DELETE FROM pgboss.job');
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await app.stop();
});

function start(SMTP_URL: string, more: Record<string, string> = {}): Promise<Child> {
  return Child.start('worker', {
    DATABASE_URL: app.config.databaseUrl,
    SECRETS_KEY: app.config.secretsKey.text(),
    MAIL_FROM: 'ne-pas-repondre@mandat.test',
    LOG_LEVEL: 'trace',
    SMTP_URL,
    ...more,
  });
}

async function work(SMTP_URL: string, more: Record<string, string> = {}): Promise<Child> {
  child = await start(SMTP_URL, more);
  return child;
}

const urlOf = (port: number, user: string, query = ''): string =>
  `smtp://${user}:${encodeURIComponent(PASSWORD)}@localhost:${port}${query}`;
const trusting = (): Record<string, string> => ({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') });

describe('The connection to the mail server', () => {
  it('is STARTTLS with a valid certificate, and a login', async () => {
    server = await MailServer.start(TLS);
    const post = await Post.open(app);
    const { id } = await post.email({ idExternes: await post.employes(1, 'T') });
    await work(urlOf(server.port, 'mandat'), trusting());
    await post.over(id);
    expect(server.accepted).toMatchObject([{ to: 't-0@example.org', secure: true, user: 'mandat' }]);
  });

  it('is TLS from the first byte with smtps', async () => {
    server = await MailServer.start({ ...TLS, secure: true });
    const post = await Post.open(app);
    const { id } = await post.email({ idExternes: await post.employes(1, 'I') });
    await work(urlOf(server.port, 'mandat').replace('smtp:', 'smtps:'), trusting());
    await post.over(id);
    expect(server.accepted).toMatchObject([{ secure: true, user: 'mandat' }]);
  });

  it.each<[string, SMTPServerOptions, Record<string, string>]>([
    ['whose certificate is not trusted', TLS, {}],
    ['without TLS', { ...TLS, disabledCommands: ['STARTTLS'] }, {}],
  ])('is closed to a server %s: it gets neither password nor email', async (_what, options, more) => {
    const logins: string[] = [];
    server = await MailServer.start({
      ...options,
      onAuth: ({ username }, _session, done) => {
        logins.push(username ?? '');
        done(null, { user: username });
      },
    });
    const post = await Post.open(app);
    const { id } = await post.email({ idExternes: await post.employes(1, 'N') });
    const running = await work(urlOf(server.port, 'mandat'), more);
    await until('the worker says so', () =>
      running.lines().some(({ msg }) => /mail server cannot be used/.test(String(msg))),
    );
    expect({ logins, begun: server.begun, etats: await post.etats(id) }).toMatchObject({
      ...{ logins: [], begun: 0 },
      etats: { enAttente: 1 },
    });
  });

  it('accepts any server if TLS is optional', async () => {
    server = await MailServer.start(TLS);
    const post = await Post.open(app);
    const { id } = await post.email({ idExternes: await post.employes(1, 'O') });
    await work(urlOf(server.port, 'mandat', '?tls=optional'));
    await post.over(id);
    expect(server.accepted).toMatchObject([{ secure: true, user: 'mandat' }]);
  });
});

describe('The log, the audit trail and the responses of the service', () => {
  it('contain no address, subject, body or password, whatever the server sends', async () => {
    server = await MailServer.start({ ...TLS, disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    let begun = 0;
    server.judge = (phase, to) => {
      if (phase === 'connect') return ++begun % 4 === 1 ? { code: 421 } : 'accept';
      if (phase === 'rcpt' && to.startsWith('secret-adresse-1')) return { code: 550 };
      if (phase === 'rcpt' && to.startsWith('secret-adresse-2')) return { code: 450 };
      return phase === 'dot' && to.startsWith('secret-adresse-3') ? 'cut' : 'accept';
    };
    const post = await Post.open(app);
    const ids = await post.employes(6, 'secret-adresse');
    const { id } = await post.email(
      { idExternes: ids },
      { sujet: 'Un sujet secret', corpsHtml: '<p>Un corps secret</p>' },
    );
    const running = await work(urlOf(server.port, 'mandat', '?tls=off'));
    await until('all but those put off are over', async () => {
      const { envoyes, refuses } = await post.etats(id);
      return envoyes === 3 && refuses === 1;
    });
    const wrong = urlOf(server.port, 'mandat', '?tls=off').replace(
      encodeURIComponent(PASSWORD),
      'faux-secret',
    );
    const second = await start(wrong);
    await app.database.query(`UPDATE courriel_destinataire SET echeance = now() WHERE etat = 'EnAttente'`);
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(metrics).toMatch(/mandat_mail_attempts_total\{[^}]*outcome="refused"[^}]*\} 1/);
    expect(metrics).not.toContain('example.org');
    await running.stop();
    await app.database.query(`UPDATE pgboss.job SET start_after = now() WHERE name = 'courriel'`);
    await until('the second is refused', () => /mail server cannot be used/.test(second.output));
    await second.stop('SIGKILL');
    const written =
      running.output + running.errors + second.output + second.errors + JSON.stringify(await trail(post));
    expect(written).toMatch(/mail server cannot be used/);
    for (const secret of [
      'secret-adresse',
      'sujet secret',
      'corps secret',
      PASSWORD,
      'faux-secret',
      'Wrong password',
    ])
      expect(written).not.toContain(secret);
  });

  // libs/messaging/src/application/mail-config.spec.ts has the other forms.
  it('the start rejects a wrong SMTP_URL in one line without the password', async () => {
    const SMTP_URL = 'smtp://u:mot-de-passe@h/chemin';
    child = await Child.spawn('worker', { DATABASE_URL: app.config.databaseUrl, SMTP_URL });
    expect(await child.exited).toBe(1);
    expect(child.errors).toMatch(/^SMTP_URL must be .+\n$/);
    expect(child.errors + child.output).not.toContain('mot-de-passe');
  });
});

async function trail(post: Post): Promise<object[]> {
  return post.rows('SELECT j.* FROM journal j WHERE j.tenant_id = $1');
}
