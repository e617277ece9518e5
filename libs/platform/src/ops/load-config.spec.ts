import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from './config-error';
import { loadConfig } from './load-config';
import { KeyRing } from './key-ring';
import type { Reader } from './process-name';

const ROOT = join(__dirname, '../../../..');

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'mandat-config-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** A complete environment of production; a variable that is undefined is not set. */
function environment(changes: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  return {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://db/mandat',
    DATA_DIR: dataDir,
    ADMIN_API_KEY: 'a'.repeat(32),
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    DOSSIER_SIGNING_KEY: Buffer.alloc(32, 8).toString('base64'),
    ...changes,
  };
}

describe('loadConfig', () => {
  it('in production takes what is set and the defaults of the README', () => {
    expect(loadConfig(environment(), 'api')).toEqual({
      host: undefined,
      port: 3000,
      workerPort: 3001,
      databaseUrl: 'postgres://db/mandat',
      cells: new Map([['principal', 'postgres://db/mandat']]),
      standbys: new Map(),
      standbyLagMs: 1_000,
      workerCell: undefined,
      dataDir,
      publicUrl: 'http://localhost:3000',
      adminApiKey: 'a'.repeat(32),
      secretsKey: KeyRing.of(Buffer.alloc(32, 7)),
      dossierSigningKey: Buffer.alloc(32, 8).toString('base64'),
      rateLimitPerMinute: 600,
      logLevel: 'info',
      otlpEndpoint: undefined,
      production: true,
      shutdownDelayMs: 5_000,
      webhookAllowInsecure: false,
      smtpUrl: undefined,
      mailFrom: undefined,
      poolSize: 10,
    });
  });

  it.each([
    ['PORT', '8080', { port: 8080, workerPort: 8081, publicUrl: 'http://localhost:8080' }],
    ['PORT', '0', { port: 0, workerPort: 0 }],
    ['WORKER_PORT', '9000', { port: 3000, workerPort: 9000 }],
    ['PUBLIC_URL', 'https://api.example.org/mandat//', { publicUrl: 'https://api.example.org/mandat' }],
    ['RATE_LIMIT_PER_MINUTE', '1', { rateLimitPerMinute: 1 }],
    ['SHUTDOWN_DELAY_MS', '0', { shutdownDelayMs: 0 }],
    ['HOST', '127.0.0.1', { host: '127.0.0.1' }],
    ['HOST', '::', { host: '::' }],
    ['HOST', '', { host: undefined }],
    ['DATABASE_POOL_SIZE', '500', { poolSize: 500 }],
    ['DATABASE_READ_MAX_LAG_MS', '50', { standbyLagMs: 50 }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://otel:4318', { otlpEndpoint: 'http://otel:4318' }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '', { otlpEndpoint: undefined }],
    // As an empty line of an env file sets it.
    ['PORT', '', { port: 3000 }],
    ['LOG_LEVEL', '', { logLevel: 'info' }],
    ['DATA_DIR', '', { dataDir: resolve('.data') }],
    ['NODE_ENV', 'development', { production: false, host: '127.0.0.1', shutdownDelayMs: 0 }],
    ['NODE_ENV', undefined, { production: false, host: '127.0.0.1', shutdownDelayMs: 0 }],
  ])('%s=%s', (name, value, expected) => {
    expect(loadConfig(environment({ [name]: value }), 'api')).toMatchObject(expected);
  });

  it('reads cells, and the one of a worker', () => {
    const CELLS = 'principal=postgres://db/mandat\n  nord-2=postgresql://u:p%20w@nord:5433/m?a=b=c ';
    const cells = new Map([
      ['principal', 'postgres://db/mandat'],
      ['nord-2', 'postgresql://u:p%20w@nord:5433/m?a=b=c'],
    ]);
    const load = (reader: Reader, more = {}) => loadConfig(environment({ CELLS, ...more }), reader);
    expect(load('api')).toMatchObject({ cells, workerCell: undefined });
    const worker = load('worker', { WORKER_CELL: 'nord-2' });
    expect(worker).toMatchObject({ cells, workerCell: 'nord-2' });
    expect(loadConfig(environment(), 'worker').workerCell).toBe('principal');
    for (const WORKER_CELL of ['sud', undefined]) {
      expect(() => load('worker', { WORKER_CELL })).toThrow('WORKER_CELL must be one of principal, nord-2: ');
    }
  });

  it('lets a worker serve the directory, which CELLS need not name', () => {
    const load = (more: Record<string, string>) => loadConfig(environment(more), 'worker').workerCell;
    const CELLS = 'nord=postgres://nord/mandat';
    expect(load({ CELLS, WORKER_CELL: 'principal' })).toBe('principal');
    expect(load({ CELLS, WORKER_CELL: 'nord' })).toBe('nord');
    expect(() => load({ CELLS })).toThrow('WORKER_CELL must be one of nord, principal: ');
    expect(load({ CELLS: 'base=postgres://db/mandat' })).toBe('base');
  });

  it('reads the standbys of each database', () => {
    const variables = {
      CELLS: 'nord=postgres://nord/mandat',
      DATABASE_READ_URLS: 'postgres://u:p@db-2/mandat\n postgres://db-3/mandat',
      CELLS_READ:
        'nord=postgres://nord-2/mandat principal=postgres://db-4/mandat nord=postgres://nord-3/mandat',
    };
    expect(loadConfig(environment(variables), 'api').standbys).toEqual(
      new Map([
        [
          'postgres://db/mandat',
          ['postgres://u:p@db-2/mandat', 'postgres://db-3/mandat', 'postgres://db-4/mandat'],
        ],
        ['postgres://nord/mandat', ['postgres://nord-2/mandat', 'postgres://nord-3/mandat']],
      ]),
    );
  });

  it('gives the worker a port beside the last one, too', () => {
    expect(loadConfig(environment({ PORT: '65535' }), 'worker').workerPort).toBe(65_534);
  });

  it.each([
    ['DATABASE_URL', undefined],
    ['DATABASE_URL', ''],
    ['ADMIN_API_KEY', undefined],
    ['ADMIN_API_KEY', ''],
    ['ADMIN_API_KEY', 'a'.repeat(31)],
    ['SECRETS_KEY', undefined],
    ['SECRETS_KEY', ''],
    ['SECRETS_KEY', Buffer.alloc(31).toString('base64')],
    ['SECRETS_KEY', Buffer.alloc(33).toString('base64')],
    ['SECRETS_KEY', Buffer.alloc(32).toString('hex')],
    ['SECRETS_KEY', 'not base64 at all'],
    ['SECRETS_KEY', `!!${Buffer.alloc(32, 7).toString('base64')}`],
    ['SECRETS_KEY', `k1:${Buffer.alloc(31).toString('base64')}`],
    ['SECRETS_KEY', `K1:${Buffer.alloc(32, 7).toString('base64')}`],
    ['SECRETS_KEY', `k1:${Buffer.alloc(32, 7).toString('base64')},`],
    ['SECRETS_KEY', `k1:${Buffer.alloc(32, 7).toString('base64')},${Buffer.alloc(32, 8).toString('base64')}`],
    [
      'SECRETS_KEY',
      `k1:${Buffer.alloc(32, 7).toString('base64')},k1:${Buffer.alloc(32, 8).toString('base64')}`,
    ],
    [
      'SECRETS_KEY',
      `k1:${Buffer.alloc(32, 7).toString('base64')},k2:${Buffer.alloc(32, 7).toString('base64')}`,
    ],
    ['HOST', 'mandat.example.org'],
    ['HOST', '127.0.0.1:3000'],
    ['PORT', ' '],
    ['PORT', '0x50'],
    ['RATE_LIMIT_PER_MINUTE', '1e3'],
    ['PUBLIC_URL', 'https://api.example.org/?a=b'],
    ['PUBLIC_URL', 'https://user:password@api.example.org'],
    ['CELLS', 'nord'],
    ['CELLS', 'Nord=postgres://db/secret-KEY'],
    ['CELLS', 'nord=mysql://db/nord'],
    ['CELLS', `${'n'.repeat(21)}=postgres://db/nord`],
    ['CELLS', 'nord=postgres://a/m nord=postgres://b/m'],
    ['CELLS', 'nord=postgres://a/m sud=postgres://a/m'],
    ['CELLS', 'nord=postgres://u:p@a/m sud=postgresql://v:q@A:5432/m/?application_name=x'],
    [
      'CELLS',
      'nord=postgres://a,b/m?target_session_attrs=read-write sud=postgres://b/m?target_session_attrs=read-write',
    ],
    ['CELLS', 'principal=postgres://db/mandat nord=postgres://DB:5432/mandat'],
    ['CELLS', 'nord=postgres://db/mandat/'],
    ['DATABASE_READ_URLS', 'nord=postgres://db/secret-KEY'],
    ['DATABASE_READ_URLS', 'postgres://a,b/mandat?target_session_attrs=read-write'],
    ['DATABASE_READ_URLS', 'postgres://a,b/mandat'],
    ['CELLS_READ', 'postgres://db/secret-KEY'],
    ['CELLS_READ', 'sud=postgres://db/sud'],
    ['CELLS_READ', 'principal=postgres://a/m?target_session_attrs=read-write'],
    ['DATABASE_READ_MAX_LAG_MS', '49'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', 'http'],
    ['WORKER_PORT', '99999'],
    ['RATE_LIMIT_PER_MINUTE', '0'],
    ['RATE_LIMIT_PER_MINUTE', '10000001'],
    ['SHUTDOWN_DELAY_MS', 'Infinity'],
    ['DATABASE_POOL_SIZE', '501'],
    ['LOG_LEVEL', 'loud'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'otel:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:password@otel.example.org'],
    ['PUBLIC_URL', 'api.example.org'],
    ['PUBLIC_URL', 'ftp://api.example.org'],
  ])('stops the start in production for %s=%s, in one line that names it', (name, value) => {
    const load = () => loadConfig(environment({ [name]: value }), 'api');
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(new RegExp(`^${name} [^\\n]+\\.$`));
    // The line says what is wanted and not the secret that was given.
    if (value && /KEY/.test(name)) expect(load).not.toThrow(value);
  });

  describe('outside production', () => {
    const bare = (): NodeJS.ProcessEnv => ({ DATA_DIR: join(dataDir, 'deeper') });
    const load = () => loadConfig(bare(), 'api', 'postgres://embedded');

    it('makes the secrets once and keeps them, readable by the owner only', () => {
      const first = load();
      expect(first.adminApiKey!.length).toBeGreaterThanOrEqual(32);
      expect(first.secretsKey.newest.bytes).toHaveLength(32);
      expect(first.adminApiKey).not.toBe(first.secretsKey.text());
      expect(load()).toEqual(first);
      for (const name of ['admin-api-key', 'secrets-key'])
        expect(statSync(join(dataDir, 'deeper', name)).mode & 0o777).toBe(0o600);
    });

    it('another folder gets other secrets; a secret that is set is not created', () => {
      const first = load();
      expect(loadConfig({ DATA_DIR: join(dataDir, 'other') }, 'api', 'x').secretsKey).not.toEqual(
        first.secretsKey,
      );
      const set = environment({ NODE_ENV: undefined, DATA_DIR: join(dataDir, 'third') });
      expect(loadConfig(set, 'api').adminApiKey).toBe('a'.repeat(32));
      expect(() => statSync(join(dataDir, 'third'))).toThrow('ENOENT');
    });

    it('prefers DATABASE_URL to the embedded database, and needs one of them', () => {
      expect(load().databaseUrl).toBe('postgres://embedded');
      expect(loadConfig({ ...bare(), DATABASE_URL: 'postgres://mine' }, 'api', 'x').databaseUrl).toBe(
        'postgres://mine',
      );
      expect(() => loadConfig(bare(), 'api')).toThrow(/^DATABASE_URL /);
    });
  });

  /** The variables that a reader asks for. */
  function askedBy(reader: Reader): Set<string> {
    const asked = new Set<string>();
    const spy = new Proxy(environment(), {
      get: (variables, name: string) => {
        asked.add(name);
        return variables[name];
      },
    });
    loadConfig(spy, reader);
    return asked;
  }

  it('the variables read are exactly those in the table of README.md', () => {
    const asked = new Set((['api', 'worker', 'cli'] as const).flatMap((reader) => [...askedBy(reader)]));
    const documented = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^\| `([A-Z_]+)` +\|/gm)];
    // The tests' own variable is in the table too.
    expect([...asked, 'TEST_DATABASE_URL'].sort()).toEqual(documented.map(([, name]) => name).sort());
  });

  it.each<[Reader, string[]]>([
    ['api', ['ADMIN_API_KEY', 'DATABASE_URL', 'DOSSIER_SIGNING_KEY', 'SECRETS_KEY']],
    ['worker', ['DATABASE_URL', 'DOSSIER_SIGNING_KEY', 'SECRETS_KEY', 'SMTP_URL']],
    ['cli', ['DATABASE_URL', 'SECRETS_KEY']],
  ])('gives %s the secrets that it needs, and no other', (reader, secrets) => {
    const asked = [...askedBy(reader)];
    expect(asked.filter((name) => /^DATABASE_URL$|KEY$|^SMTP_URL$/.test(name)).sort()).toEqual(secrets);
  });

  it.each(['worker', 'cli'] as const)('starts %s in production without ADMIN_API_KEY', (reader) => {
    expect(loadConfig(environment({ ADMIN_API_KEY: undefined }), reader).adminApiKey).toBeUndefined();
  });

  it('makes no key of an administrator for the worker', () => {
    loadConfig({ DATA_DIR: dataDir }, 'worker', 'x');
    expect(readdirSync(dataDir)).toEqual(['dossier-signing-key', 'secrets-key']);
  });
});
