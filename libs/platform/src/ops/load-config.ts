import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { Config, PRINCIPAL } from './config';
import { ConfigError } from './config-error';
import { serversOf } from './database-servers';
import { KeyRing } from './key-ring';
import type { Reader } from './process-name';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/**
 * Reads and checks the environment (docs/contract.md, "Environment variables").
 *
 * In production nothing is made up: a missing DATABASE_URL or SECRETS_KEY throws, and for the API a missing
 * ADMIN_API_KEY. Elsewhere the secrets are generated once and kept under DATA_DIR, and the caller supplies the address
 * of an embedded database.
 *
 * @throws ConfigError naming the variable and what it must be
 */
export function loadConfig(env: NodeJS.ProcessEnv, reader: Reader, embeddedDatabaseUrl?: string): Config {
  const production = env.NODE_ENV === 'production';
  const dataDir = resolve(env.DATA_DIR || '.data');
  const port = integer(env, 'PORT', 3000, 0, 65_535);

  const databaseUrl = env.DATABASE_URL || embeddedDatabaseUrl;
  if (!databaseUrl)
    throw new ConfigError('DATABASE_URL is not set: give the URL of a PostgreSQL 18 database.');
  serversOf(databaseUrl);

  const cells = cellsOf(env.CELLS, databaseUrl);

  const secretsKey = KeyRing.parse(env.SECRETS_KEY || (production ? '' : keptSecret(dataDir, 'secrets-key')));

  const logLevel = env.LOG_LEVEL || 'info';
  if (!LOG_LEVELS.includes(logLevel))
    throw new ConfigError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`);

  return new Config({
    host: hostOf(env, production),
    port,
    workerPort: integer(env, 'WORKER_PORT', workerPortBeside(port), 0, 65_535),
    databaseUrl,
    cells,
    standbys: standbysOf(env, databaseUrl, cells),
    standbyLagMs: integer(env, 'DATABASE_READ_MAX_LAG_MS', 1_000, 50, 60_000),
    workerCell: reader === 'worker' ? workerCellOf(env.WORKER_CELL, cells, databaseUrl) : undefined,
    dataDir,
    publicUrl: publicUrl(env.PUBLIC_URL || `http://localhost:${port}`),
    adminApiKey: reader === 'api' ? adminApiKeyOf(env, production, dataDir) : undefined,
    secretsKey,
    dossierSigningKey:
      production && reader === 'cli' ? undefined : dossierSigningKeyOf(env, production, dataDir),
    rateLimitPerMinute: integer(env, 'RATE_LIMIT_PER_MINUTE', 600, 1, 10_000_000),
    logLevel,
    otlpEndpoint: reader === 'cli' ? undefined : otlpEndpointOf(env.OTEL_EXPORTER_OTLP_ENDPOINT),
    production,
    shutdownDelayMs: integer(env, 'SHUTDOWN_DELAY_MS', production ? 5_000 : 0, 0, 300_000),
    webhookAllowInsecure: flag(env, 'WEBHOOK_ALLOW_INSECURE'),
    smtpUrl: reader === 'worker' ? env.SMTP_URL : undefined,
    mailFrom: reader === 'worker' ? env.MAIL_FROM : undefined,
    poolSize: integer(env, 'DATABASE_POOL_SIZE', 10, 1, 500),
  });
}

/**
 * Reads CELLS: `name=postgres://…`, separated by spaces or lines. Data spaces that are older than CELLS are in the directory,
 * which is the cell `principal`. If CELLS names `principal`, it must give the URL of the directory.
 */
export function cellsOf(text: string | undefined, databaseUrl: string): ReadonlyMap<string, string> {
  const cells = new Map<string, string>();
  for (const [name, url] of namedUrls(text, 'CELLS')) {
    if (cells.has(name)) throw new ConfigError(`CELLS must name the cell ${name} once.`);
    cells.set(name, url);
  }
  if (cells.size === 0) return new Map([[PRINCIPAL, databaseUrl]]);
  assertDistinct(cells, databaseUrl);
  return cells;
}

/** A database of two names would have two sets of connections, and its data spaces two workers. */
function assertDistinct(cells: ReadonlyMap<string, string>, databaseUrl: string): void {
  const directory = databasesOf(databaseUrl);
  const seen = new Map<string, string>();
  for (const [name, url] of cells) {
    const databases = databasesOf(url);
    const isDirectory = name === PRINCIPAL || databases.some((one) => directory.includes(one));
    if (isDirectory && url !== databaseUrl)
      throw new ConfigError(`CELLS must give ${name} the URL of DATABASE_URL.`);
    for (const one of databases) {
      const other = seen.get(one);
      if (other !== undefined)
        throw new ConfigError(`CELLS must not give ${other} and ${name} the same database.`);
      seen.set(one, name);
    }
  }
}

/** Host, port and name of the database on each server of a URL, in one spelling. */
function databasesOf(databaseUrl: string): string[] {
  return serversOf(databaseUrl).urls.flatMap((text) => {
    const url = URL.parse(text);
    if (!url) return [];
    const host = url.searchParams.get('host') ?? url.hostname.toLowerCase();
    const port = url.searchParams.get('port') ?? (url.port || '5432');
    return [`${host}:${port}${url.pathname.replace(/\/+$/, '')}`];
  });
}

/**
 * The cells that need a worker: those of CELLS, and the directory as `principal` if CELLS does not name it, because data spaces
 * that are older than CELLS may be there.
 */
export function workerCellsOf(cells: ReadonlyMap<string, string>, databaseUrl: string): string[] {
  const names = [...cells.keys()];
  return [...cells.values()].includes(databaseUrl) ? names : [...names, PRINCIPAL];
}

/**
 * Reads DATABASE_READ_URLS, of the database of DATABASE_URL, and CELLS_READ, which has the form of CELLS and may name a cell several
 * times.
 */
function standbysOf(
  env: NodeJS.ProcessEnv,
  databaseUrl: string,
  cells: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> {
  const standbys = wordsOf(env.DATABASE_READ_URLS).map((url) => {
    if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(standbyUrl(url, 'DATABASE_READ_URLS')))
      throw new ConfigError('DATABASE_READ_URLS must be postgres://… separated by spaces or lines.');
    return [databaseUrl, url] as const;
  });
  for (const [name, url] of namedUrls(env.CELLS_READ, 'CELLS_READ')) {
    const database = name === PRINCIPAL ? databaseUrl : cells.get(name);
    if (!database) throw new ConfigError(`CELLS_READ names the cell ${name}, which CELLS does not.`);
    standbys.push([database, standbyUrl(url, 'CELLS_READ')]);
  }
  const groups = Map.groupBy(standbys, ([database]) => database);
  return new Map([...groups].map(([database, pairs]) => [database, pairs.map(([, url]) => url)]));
}

function standbyUrl(url: string, variable: string): string {
  if (serversOf(url, variable).primaryOnly)
    throw new ConfigError(`${variable} names standbys: remove target_session_attrs=read-write from it.`);
  return url;
}

/** Reads `name=postgres://…`, separated by spaces or lines. */
function namedUrls(text: string | undefined, variable: string): (readonly [name: string, url: string])[] {
  return wordsOf(text).map((part) => {
    // The URL has a password, which no message may show.
    const [, name, url] = /^([a-z0-9-]{1,20})=(postgres(?:ql)?:\/\/.+)$/.exec(part) ?? [];
    if (!name || !url || !URL.canParse(serversOf(url, variable).urls[0]))
      throw new ConfigError(
        `${variable} must be name=postgres://… separated by spaces or lines; names have 1 to 20 of a-z, 0-9 and -.`,
      );
    return [name, url];
  });
}

function wordsOf(text: string | undefined): string[] {
  return (text ?? '').split(/\s+/).filter(Boolean);
}

function workerCellOf(
  name: string | undefined,
  cells: ReadonlyMap<string, string>,
  databaseUrl: string,
): string {
  const names = workerCellsOf(cells, databaseUrl);
  const wanted = name || (names.length === 1 ? names[0] : undefined);
  if (wanted && names.includes(wanted)) return wanted;
  throw new ConfigError(`WORKER_CELL must be one of ${names.join(', ')}: a worker serves one cell.`);
}

function adminApiKeyOf(env: NodeJS.ProcessEnv, production: boolean, dataDir: string): string {
  const key = env.ADMIN_API_KEY || (production ? undefined : keptSecret(dataDir, 'admin-api-key'));
  if (!key || key.length < 32) {
    throw new ConfigError('ADMIN_API_KEY must be set to a secret of 32 characters or more.');
  }
  return key;
}

/** Returns undefined in production without the variable: campaigns cannot be published then. */
function dossierSigningKeyOf(
  env: NodeJS.ProcessEnv,
  production: boolean,
  dataDir: string,
): string | undefined {
  return env.DOSSIER_SIGNING_KEY || (production ? undefined : keptSecret(dataDir, 'dossier-signing-key'));
}

/** Returns undefined for every address of the machine, which is the default in production. */
function hostOf(env: NodeJS.ProcessEnv, production: boolean): string | undefined {
  const host = env.HOST || (production ? undefined : '127.0.0.1');
  if (host !== undefined && isIP(host) === 0)
    throw new ConfigError('HOST must be an IP address, such as 127.0.0.1, or 0.0.0.0 for all interfaces.');
  return host;
}

function workerPortBeside(port: number): number {
  if (port === 0) return 0;
  return port < 65_535 ? port + 1 : port - 1;
}

function integer(env: NodeJS.ProcessEnv, name: string, fallback: number, min: number, max: number): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}.`);
  }
  return value;
}

function flag(env: NodeJS.ProcessEnv, name: string): boolean {
  const text = env[name] || 'false';
  if (text !== 'true' && text !== 'false') throw new ConfigError(`${name} must be true or false.`);
  return text === 'true';
}

function otlpEndpointOf(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ConfigError(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address, without a user, a query or a fragment; secrets belong in OTEL_EXPORTER_OTLP_HEADERS.',
    );
  }
  return text;
}

function publicUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ConfigError(
      'PUBLIC_URL must be an http or https address, without a user, a query or a fragment.',
    );
  }
  return text.replace(/\/+$/, '');
}

/** A secret made at the first start and read back at every later one. */
function keptSecret(dataDir: string, name: string): string {
  const file = join(dataDir, name);
  mkdirSync(dataDir, { recursive: true });
  if (!existsSync(file)) {
    const scratch = `${file}.${randomBytes(4).toString('hex')}`;
    writeFileSync(scratch, randomBytes(32).toString('base64'), { mode: 0o600 });
    try {
      // A link appears with its content: of two processes that start together, one's secret is what both read.
      linkSync(scratch, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(scratch);
    }
  }
  return readFileSync(file, 'utf8').trim();
}
