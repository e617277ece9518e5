import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnostic, type Outside, OUTSIDE as REAL } from '../../apps/cli/src/diagnostic';
import type { Finding } from '../../apps/cli/src/findings';
import { MailServer } from '../messaging/support/mail-server';
import { ReplicatedPostgres } from '../reliability/support/standby';
import { command } from '../setup/command';
import { asService } from '../setup/service-login';
import { TestApp, type TestTenant } from '../setup/test-app';

const MONITORING = '1764000055000';
const MAIL_PASSWORD = 'password-of-the-mail-server';

let pair: ReplicatedPostgres;
let app: TestApp;
let tenant: TestTenant;
let mail: MailServer;
let folder: string;
/** The variables of a worker in production. */
let whole: Record<string, string>;
/** Everything that was printed. */
let printed = '';

const OUTSIDE: Outside = {
  now: () => Date.now(),
  resolve: () => Promise.resolve(['192.0.2.1']),
  reach: () => Promise.resolve(),
  freeBytes: () => Promise.resolve(2 ** 40),
};

beforeAll(async () => {
  pair = await ReplicatedPostgres.start({ synchronous: false });
  app = await TestApp.start({ databaseUrl: pair.primary.url });
  mail = await MailServer.start();
  folder = mkdtempSync(join(tmpdir(), 'mandat-diagnostic-'));
  tenant = await app.tenant();
  await app.send(tenant, 'POST', '/b2b/v1/employeur', { idExterne: 'E', nom: 'E' });
  // The key of the API is listed, and a published campaign needs it.
  await app.send(undefined, 'GET', '/.well-known/jwks.json');
  await app.database.query(
    `INSERT INTO campagne (tenant_id, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc, ordre_reponses_aleatoire, publiee,
       ouverture_annoncee) VALUES ($1, 'V', 'v', '2020-01-01', '2099-01-01', false, true, true)`,
    [tenant.tenantId],
  );
  whole = {
    NODE_ENV: 'production',
    DATABASE_URL: asService(pair.primary.url),
    DATABASE_READ_URLS: asService(pair.standby.url),
    SECRETS_KEY: app.config.secretsKey.text(),
    DOSSIER_SIGNING_KEY: app.config.dossierSigningKey!,
    SMTP_URL: `${mail.url}?tls=off`,
    MAIL_FROM: 'mandat@example.org',
    DATA_DIR: folder,
  };
}, 120_000);
afterAll(async () => {
  await mail.stop();
  await app.stop();
  await pair.stop();
  rmSync(folder, { recursive: true });
});

async function diagnosed(
  env: NodeJS.ProcessEnv = {},
  outside: Partial<Outside> = {},
  json = true,
): Promise<{ code: unknown; text: string }> {
  const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const before = process.exitCode;
  try {
    process.exitCode = 0;
    const all = { ...whole, ...env };
    await diagnostic(all, { json, host: 'hooks.example.org' }, { ...OUTSIDE, ...outside });
    const text = log.mock.calls.map(([line]) => String(line)).join('\n');
    printed += text;
    return { code: process.exitCode, text };
  } finally {
    process.exitCode = before;
    log.mockRestore();
  }
}

const read = (text: string): { ok: boolean; checks: Finding[] } => JSON.parse(text);

/** A way to break the service, the check that fails and what it finds. */
interface Broken {
  readonly env?: () => NodeJS.ProcessEnv;
  readonly outside?: Partial<Outside>;
  /** Breaks the data, and returns what mends it. */
  readonly data?: () => Promise<() => Promise<unknown>>;
  readonly check: string;
  readonly found: RegExp;
  readonly todo: RegExp;
}

const sql = (text: string, ...values: unknown[]): Promise<unknown> => app.database.query(text, values);
const inOtherDatabase = (name: string): string => {
  const url = new URL(whole.DATABASE_URL!);
  url.pathname = name;
  return url.href;
};
const fails = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

const WAYS: Record<string, Broken> = {
  'no SECRETS_KEY': {
    env: () => ({ SECRETS_KEY: '' }),
    ...{ check: 'configuration', found: /^SECRETS_KEY must be set/, todo: /README/ },
  },
  'a SECRETS_KEY that is too short': {
    env: () => ({ SECRETS_KEY: randomBytes(16).toString('base64') }),
    ...{ check: 'configuration', found: /^SECRETS_KEY /, todo: /README/ },
  },
  'a database that is away': {
    env: () => ({ DATABASE_URL: whole.DATABASE_URL!.replace(/:\d+\//, ':9/') }),
    ...{ check: 'database', found: /ECONNREFUSED/, todo: /DATABASE_URL/ },
  },
  'a cell that is away': {
    env: () => ({
      CELLS: `principal=${whole.DATABASE_URL} nord=${whole.DATABASE_URL!.replace(/:\d+\//, ':9/')}`,
    }),
    ...{ check: 'database nord', found: /ECONNREFUSED/, todo: /in CELLS/ },
  },
  'a wrong password': {
    env: () => ({ DATABASE_URL: whole.DATABASE_URL!.replace(/:[^:@]+@/, ':secret-of-the-database@') }),
    ...{ check: 'database', found: /28P01/, todo: /password in DATABASE_URL/ },
  },
  'a PostgreSQL that is too old': {
    // There is one PostgreSQL here. The login sees another version, because its path of schemas begins with another function.
    data: async () => {
      await sql(`CREATE SCHEMA old;
        GRANT USAGE ON SCHEMA old TO mandat_service;
        CREATE FUNCTION old.current_setting(name text) RETURNS text RETURN
          CASE name WHEN 'server_version_num' THEN '170005' WHEN 'server_version' THEN '17.5' ELSE pg_catalog.current_setting(name) END;
        ALTER ROLE mandat_service SET search_path = old, pg_catalog, public`);
      return () => sql('ALTER ROLE mandat_service RESET search_path; DROP SCHEMA old CASCADE');
    },
    ...{ check: 'database', found: /^PostgreSQL 17\.5 is too old$/, todo: /PostgreSQL 18/ },
  },
  'a database in another encoding': {
    env: () => ({ DATABASE_URL: inOtherDatabase('latin') }),
    data: async () => {
      await sql(`CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'`);
      return () => sql('DROP DATABASE latin');
    },
    ...{ check: 'database', found: /LATIN1/, todo: /UTF8/ },
  },
  'the standby as DATABASE_URL': {
    env: () => ({ DATABASE_URL: whole.DATABASE_READ_URLS, DATABASE_READ_URLS: '' }),
    ...{ check: 'database', found: /is a standby/, todo: /target_session_attrs/ },
  },
  'the login of a superuser': {
    env: () => ({ DATABASE_URL: pair.primary.url }),
    ...{ check: 'login', found: /is a superuser/, todo: /owns nothing/ },
  },
  'a login that owns a table': {
    data: async () => {
      await sql(
        'GRANT CREATE ON SCHEMA public TO mandat_service; ALTER TABLE webhook OWNER TO mandat_service',
      );
      return () =>
        sql('ALTER TABLE webhook OWNER TO postgres; REVOKE CREATE ON SCHEMA public FROM mandat_service');
    },
    ...{ check: 'login', found: /owns/, todo: /a login that owns nothing/ },
  },
  'a login without a role': {
    data: async () => {
      await sql('REVOKE mandat_effacement FROM mandat_service');
      return () => sql('GRANT mandat_effacement TO mandat_service');
    },
    ...{ check: 'login', found: /mandat_service lacks the roles mandat_effacement/, todo: /GRANT/ },
  },
  'a pending migration': {
    data: async () => {
      await sql('DELETE FROM migration WHERE timestamp = $1', MONITORING);
      return () => sql('INSERT INTO migration (timestamp, name) VALUES ($1, $2)', MONITORING, 'Monitoring');
    },
    ...{ check: 'migrations', found: /^pending: 1764000055000-monitoring$/, todo: /cli -- migrate/ },
  },
  'an empty database': {
    env: () => ({ DATABASE_URL: inOtherDatabase('empty') }),
    data: async () => {
      await sql('CREATE DATABASE empty');
      return () => sql('DROP DATABASE empty');
    },
    ...{ check: 'migrations', found: /older than this release/, todo: /cli -- migrate/ },
  },
  'a clock that is an hour ahead': {
    outside: { now: () => Date.now() + 3_600_000 },
    ...{ check: 'clock', found: /^this machine is 3\d{3}(\.\d+)? s ahead of the database$/, todo: /NTP/ },
  },
  'another SECRETS_KEY': {
    env: () => ({ SECRETS_KEY: randomBytes(32).toString('base64') }),
    ...{ check: 'SECRETS_KEY', found: /opens nothing/, todo: /rechiffrer/ },
  },
  'a broken trail': {
    data: async () => {
      await sql(`UPDATE journal SET action = action || 'x' WHERE tenant_id = $1`, tenant.tenantId);
      return () => sql(`UPDATE journal SET action = left(action, -1) WHERE tenant_id = $1`, tenant.tenantId);
    },
    ...{
      check: 'audit trails',
      found: /entry 1 or its place is not what was written/,
      todo: /verifier-journal/,
    },
  },
  'another DOSSIER_SIGNING_KEY': {
    env: () => ({ DOSSIER_SIGNING_KEY: randomBytes(32).toString('base64') }),
    ...{ check: 'DOSSIER_SIGNING_KEY', found: /another key has/, todo: /same DOSSIER_SIGNING_KEY/ },
  },
  'no DOSSIER_SIGNING_KEY during a vote': {
    env: () => ({ DOSSIER_SIGNING_KEY: '' }),
    ...{ check: 'DOSSIER_SIGNING_KEY', found: /a campaign is published/, todo: /DOSSIER_SIGNING_KEY/ },
  },
  'the primary as a standby': {
    env: () => ({ DATABASE_READ_URLS: whole.DATABASE_URL }),
    ...{ check: 'standby 1', found: /is no standby/, todo: /docs\/operations\.md/ },
  },
  'a standby that does not follow': {
    data: async () => {
      await pair.standby.query('SELECT pg_wal_replay_pause()');
      await sql('SELECT pg_switch_wal()');
      return () => pair.standby.query('SELECT pg_wal_replay_resume()');
    },
    ...{ check: 'standby 1', found: /behind/, todo: /docs\/operations\.md/ },
  },
  'a mail server that rejects the login': {
    env: () => ({ SMTP_URL: mail.url.replace('//', `//user:${MAIL_PASSWORD}@`) + '?tls=off' }),
    ...{ check: 'mail server', found: /does not take messages/, todo: /SMTP_URL/ },
  },
  'a mail server that is away': {
    env: () => ({ SMTP_URL: 'smtp://127.0.0.1:9?tls=off' }),
    ...{ check: 'mail server', found: /ECONNREFUSED/, todo: /SMTP_URL/ },
  },
  'no name servers': {
    outside: { resolve: fails('ETIMEOUT') },
    ...{ check: 'name servers', found: /hooks\.example\.org is not found \(ETIMEOUT\)/, todo: /port 53/ },
  },
  'a name that no name server knows': {
    outside: { resolve: () => REAL.resolve('none.invalid') },
    ...{ check: 'name servers', found: /hooks\.example\.org is not found \(E[A-Z]+\)/, todo: /port 53/ },
  },
  'an address that does not answer': {
    outside: { resolve: () => Promise.resolve(['127.0.0.99']), reach: REAL.reach },
    ...{ check: 'way out on 443', found: /^hooks\.example\.org cannot be reached \(/, todo: /port 443/ },
  },
  'no way out': {
    outside: { reach: fails('ECONNREFUSED') },
    ...{ check: 'way out on 443', found: /cannot be reached/, todo: /port 443/ },
  },
  'a file system without room': {
    // The kernel's own has none on Linux.
    env: () => ({ DATA_DIR: '/proc/mandat' }),
    outside: { freeBytes: REAL.freeBytes },
    ...{ check: 'disk', found: /^0\.0 GiB are free in \/proc$/, todo: /Make room/ },
  },
  'a full disk': {
    outside: { freeBytes: () => Promise.resolve(2 ** 20) },
    ...{ check: 'disk', found: /^0\.0 GiB are free/, todo: /Make room/ },
  },
};

describe('npm run cli -- diagnostic', () => {
  it('finds nothing wrong with a service that is whole', async () => {
    const { code, text } = await diagnosed();
    const { ok, checks } = read(text);
    expect(checks.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(checks.map(({ check }) => check)).toEqual([
      ...['configuration', 'database', 'login', 'migrations', 'clock', 'SECRETS_KEY', 'audit trails'],
      ...['DOSSIER_SIGNING_KEY', 'standby 1', 'mail server', 'name servers', 'way out on 443', 'disk'],
    ]);
    expect([code, ok]).toEqual([0, true]);
  });

  it.each(Object.entries(WAYS))(
    'names %s, and what to do',
    async (_what, { env, outside, data, check, found, todo }) => {
      const mend = await data?.();
      const { code, text } = await diagnosed(env?.(), outside).finally(() => mend?.());
      const { ok, checks } = read(text);
      expect(checks.filter(({ state }) => state === 'fault')).toEqual([
        { check, state: 'fault', found: expect.stringMatching(found), todo: expect.stringMatching(todo) },
      ]);
      expect([code, ok]).toEqual([1, false]);
    },
  );

  it('prints a line for each check without --json', async () => {
    const { code, text } = await diagnosed({ SMTP_URL: '' }, { resolve: fails('ETIMEOUT') }, false);
    const lines = text.split('\n').map((line) => /^(\w+) +(.*?): .+?( → .+)?$/.exec(line)!.slice(1));
    expect(lines).toEqual([
      ...['configuration', 'database', 'login', 'migrations', 'clock', 'SECRETS_KEY', 'audit trails'].map(
        (check) => ['ok', check, undefined],
      ),
      ...['DOSSIER_SIGNING_KEY', 'standby 1'].map((check) => ['ok', check, undefined]),
      ['skipped', 'mail server', undefined],
      ['fault', 'name servers', expect.stringContaining('port 53')],
      ['skipped', 'way out on 443', undefined],
      ['ok', 'disk', undefined],
    ]);
    expect(code).toBe(1);
  });

  it('prints no secret', () => {
    const { SECRETS_KEY, DOSSIER_SIGNING_KEY, DATABASE_URL } = whole;
    for (const secret of [SECRETS_KEY!, DOSSIER_SIGNING_KEY!, new URL(DATABASE_URL!).password, MAIL_PASSWORD])
      expect(printed).not.toContain(secret);
    expect(printed).not.toContain('secret-of-the-database');
  });

  it('is a command, and rejects other options', async () => {
    const { output } = await command(whole, 'diagnostic', '--json', '--hote', 'localhost');
    expect(JSON.parse(output).checks).toContainEqual(
      expect.objectContaining({ check: 'database', state: 'ok' }),
    );
    const { code, errors } = await command(whole, 'diagnostic', '--yaml');
    expect([code, errors]).toEqual([1, expect.stringContaining('diagnostic [--json]')]);
  });

  it('other commands run in production without DOSSIER_SIGNING_KEY while a campaign is published', async () => {
    const env = { ...whole, DOSSIER_SIGNING_KEY: '' };
    expect(await command(env, 'verifier-journal')).toMatchObject({ code: 0 });
  });
});
