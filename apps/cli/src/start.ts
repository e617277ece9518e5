import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { loadConfig } from '#shared/config/config';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#shared/database/embedded-postgres';
import { migrateUp } from '#shared/database/migrate';
import { demonstrationKeys, type DemonstrationKeys } from './demonstration';

const API = join(__dirname, '../../partner-api/src/main.js');
const WORKER = join(__dirname, '../../worker/src/main.js');

/**
 * Everything that a newcomer needs in one process tree: an embedded PostgreSQL unless DATABASE_URL names one, the
 * migrations, a demonstration tenant (never in production), the API and the worker. Stops all of them in order.
 */
export async function start(): Promise<void> {
  let database: EmbeddedPostgres | undefined;
  if (!process.env.DATABASE_URL && process.env.NODE_ENV !== 'production') {
    const dataDir = loadConfig(process.env, 'postgres://unused').dataDir;
    step('Starting the embedded PostgreSQL');
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
  const config = loadConfig(process.env);
  step('Applying the migrations');
  await migrateUp(config.databaseUrl);
  const keys = config.production ? undefined : await demonstrationKeys(config);

  step('Starting the API and the worker');
  const children = [API, WORKER].map((file) =>
    fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
  const ended = Promise.race(children.map((child) => once(child, 'exit')));
  const stop = async (): Promise<void> => {
    await Promise.all(children.map(stopChild));
    await database?.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void stop().then(() => process.exit(0)));
  }
  const listening = Promise.all(children.map((child) => once(child, 'message'))).then(
    () => 'listening' as const,
  );
  if ((await Promise.race([ended, listening])) === 'listening') {
    if (keys) announce(config.publicUrl, config.adminApiKey, keys);
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

function announce(url: string, adminKey: string, keys: DemonstrationKeys): void {
  console.log(`
Mandat is ready on ${url}

  Documentation       ${url}/docs   (administration: ${url}/docs/admin)
  Error codes         ${url}/docs/erreurs

  Keys of the demonstration tenant (header X-Api-Key)
    partner           ${keys.partenaire}
    platform          ${keys.plateforme}
    administrator     ${adminKey}

  Try it in another terminal: paste this line, then the blocks of "A partner's first hour" in README.md.

export ${assignments({ URL: url, KEY: keys.partenaire, PLATFORM_KEY: keys.plateforme, ADMIN_KEY: adminKey })}

  Ctrl+C stops everything.
`);
}

/** Assignments of MANDAT_… for a shell, whatever the values hold: an administrator's key is of the operator's choice. */
function assignments(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `MANDAT_${name}='${value.replaceAll("'", `'\\''`)}'`)
    .join(' ');
}
