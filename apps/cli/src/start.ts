import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '#embedded-postgres';
import { ConfigError } from '#platform/ops/config-error';
import type { Config } from '#platform/ops/config';
import { loadConfig, workerCellsOf } from '#platform/ops/load-config';
import { migrateAll } from './migrate';
import { makeServiceLogin } from '#platform/database/service-login';
import { demonstrationKeys, type DemonstrationKeys } from './demonstration';

const API = join(__dirname, '../../partner-api/src/main.js');
const WORKER = join(__dirname, '../../worker/src/main.js');

const PARENT = process.ppid;
const PARENT_CHECK_MS = 1_000;

/**
 * Everything that a newcomer needs in one process tree: an embedded PostgreSQL unless DATABASE_URL names one, the
 * migrations, a demonstration tenant, the API and the worker. Stops all of them in order, also when npm has ended.
 *
 * @throws ConfigError in production, where the login that migrates is not that of the processes
 */
export async function start(): Promise<void> {
  if (process.env.NODE_ENV === 'production')
    throw new ConfigError(
      'In production run "npm run cli -- migrate", "npm run start:api" and "npm run start:worker".',
    );
  let database: EmbeddedPostgres | undefined;
  if (!process.env.DATABASE_URL) {
    // Only this machine reaches the demonstration, whose receivers are on it, too.
    if (!process.env.HOST) process.env.WEBHOOK_ALLOW_INSECURE ||= 'true';
    const dataDir = loadConfig(process.env, 'cli', 'postgres://unused').dataDir;
    step('Starting the embedded PostgreSQL');
    // Loaded here because production images do not have it.
    const { startEmbeddedPostgres } = await import('#embedded-postgres');
    database = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') });
    process.env.DATABASE_URL = database.url;
  }
  try {
    await run(database);
  } catch (error) {
    await database?.stop();
    throw error;
  }
}

async function run(database: EmbeddedPostgres | undefined): Promise<void> {
  step('Applying the migrations');
  await migrateAll(loadConfig(process.env, 'cli').databaseUrl, process.env.CELLS);
  // As in production, the processes do not log in as the owner. A server that is not ours keeps the logins that it has.
  if (database)
    process.env.DATABASE_URL = await makeServiceLogin(database.url, randomBytes(24).toString('hex'));
  const config = loadConfig(process.env, 'api');
  const keys = await demonstrationKeys(config);

  step('Starting the API and the worker');
  const started = (file: string, env: NodeJS.ProcessEnv = {}): ChildProcess =>
    fork(file, { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  // Further workers take any free port.
  const workers = workerCellsOf(config.cells, config.databaseUrl).map((name, index) =>
    started(WORKER, { WORKER_CELL: name, WORKER_PORT: String(index === 0 ? config.workerPort : 0) }),
  );
  const children = [started(API), ...workers];
  const ended = Promise.race(children.map((child) => once(child, 'exit')));
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= Promise.all(children.map(stopChild)).then(() => database?.stop()));
  const exit = (): void => void stop().then(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, exit);
  // A SIGTERM to npm ends npm and its shell only: this process then has another parent.
  if (process.env.npm_lifecycle_event)
    setInterval(() => process.ppid !== PARENT && exit(), PARENT_CHECK_MS).unref();
  const listening = Promise.all(children.map((child) => once(child, 'message'))).then(
    () => 'listening' as const,
  );
  if ((await Promise.race([ended, listening])) === 'listening') {
    announce(config, keys, Boolean(process.env.ADMIN_API_KEY));
    await ended;
  }
  await stop();
  process.exitCode = 1;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function step(what: string): void {
  console.log(`${what}…`);
}

/**
 * Prints the keys that were made.
 *
 * @param adminKeyIsSet whether the operator set the administrator's key, which then is not printed
 */
function announce(
  { publicUrl: url, adminApiKey, webhookAllowInsecure }: Config,
  keys: DemonstrationKeys,
  adminKeyIsSet: boolean,
): void {
  const variables = {
    URL: quoted(url),
    KEY: quoted(keys.partenaire),
    PLATFORM_KEY: quoted(keys.plateforme),
    ADMIN_KEY: adminKeyIsSet ? '"$ADMIN_API_KEY"' : quoted(adminApiKey!),
  };
  const line = Object.entries(variables).map(([name, value]) => `MANDAT_${name}=${value}`);
  console.log(`
Mandat is ready on ${url}

  Documentation       ${url}/docs   (platform: ${url}/docs/plateforme, administration: ${url}/docs/admin)
  Error codes         ${url}/docs/erreurs

  Keys of the demonstration tenant (header X-Api-Key)
    partner           ${keys.partenaire}
    platform          ${keys.plateforme}
    administrator     ${adminKeyIsSet ? 'the value of ADMIN_API_KEY; set it in the other terminal, too' : adminApiKey}

  Try it in another terminal: paste this line, then the blocks of docs/first-hour.md.

export ${line.join(' ')}
${webhookAllowInsecure ? '\n  Webhooks may go to http and to this machine. WEBHOOK_ALLOW_INSECURE=false refuses both, as in production.\n' : ''}
  Further administrators' keys, and all other commands, in another terminal: npm run cli -- --help

  Ctrl+C stops everything.
`);
}

/** A value as a shell takes it, whatever it holds. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
