import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, MigrationExecutor, type QueryFailedError, SimpleConsoleLogger } from 'typeorm';
import { BASELINE } from '../../../../migrations/baseline';
import { createFunctions } from './functions';
import { isTransient, LOCK_NOT_AVAILABLE, sqlState } from '../errors/sql-errors';
import { ConfigError } from '../ops/config-error';

/** Key of the lock (any constant) that lets one process at a time migrate a database. */
const MIGRATION_LOCK = 7_304_512_201;

/** PostgreSQL 18 brings uuidv7() and RETURNING OLD, which the schema and the syncs use. */
export const MINIMUM_VERSION = 180_000;

/**
 * The longest that a migration waits for a table, in ms. Requests for the table wait behind it. This is shorter than
 * PostgreSQL's `deadlock_timeout` of 1 s, so in a deadlock the migration gives up, and no request.
 */
const LOCK_TIMEOUT_MS = 500;

/** The pause before a migration that gave up is tried again, in ms. */
const PAUSE_MS = 1_000;

/** The longest that one migration is tried again, in ms. A sync, a sealing or a move ends sooner. */
const PATIENCE_MS = 600_000;

const ROOT = join(__dirname, '../../../../..');

/** The compiled migrations, by their sources: `dist` may also have those of an earlier build. TypeORM runs JavaScript. */
const compiled = (): string[] =>
  globSync('migrations/since-*/*.ts', { cwd: ROOT }).map((file) =>
    join(ROOT, 'dist', file.replace(/ts$/, 'js')),
  );

/** The migrations of this release that are not in the baseline, as `<timestamp>-<what>`, oldest first. */
export const knownMigrations = (): string[] =>
  compiled()
    .map((file) => basename(file, '.js'))
    .sort();

/** Failures are thrown, and waits are reported. TypeORM would print both as failures. */
class QuietLogger extends SimpleConsoleLogger {
  override logMigration(): void {}
}

async function withMigrations<T>(url: string, work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    migrations: compiled(),
    migrationsTableName: 'migration',
    installExtensions: false,
    logger: new QuietLogger(),
    poolSize: 2,
    extra: { connectionTimeoutMillis: 10_000, options: `-c timezone=UTC -c lock_timeout=${LOCK_TIMEOUT_MS}` },
  });
  await dataSource.initialize();
  const guard = dataSource.createQueryRunner();
  try {
    const rows = (await guard.query(`SELECT current_setting('server_version_num')::int AS version`)) as {
      version: number;
    }[];
    if ((rows[0]?.version ?? 0) < MINIMUM_VERSION) {
      throw new Error(
        'This database is older than PostgreSQL 18: upgrade it, or give DATABASE_URL of a newer one.',
      );
    }
    await guard.query('SET lock_timeout = 0');
    await guard.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await work(dataSource);
  } finally {
    await guard.release();
    await dataSource.destroy();
  }
}

/** Called with the reason why a migration is tried again: the error, and the statement that had to wait. */
export type OnWait = (reason: string) => void;

/**
 * Runs `work`, which migrates, again and again until no migration gives up waiting for a lock. Migrations before it stay.
 *
 * @throws Error if one migration has given up for 10 minutes
 */
async function withPatience(
  dataSource: DataSource,
  work: () => Promise<unknown>,
  onWait: OnWait,
): Promise<void> {
  const executor = new MigrationExecutor(dataSource);
  let [applied, since] = [-1, 0];
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isTransient(error) && sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      const { message, query } = error as QueryFailedError;
      const reason = `${message}: ${query}`;
      const { length } = await executor.getExecutedMigrations();
      if (length !== applied) [applied, since] = [length, Date.now()];
      if (Date.now() - since > PATIENCE_MS)
        throw new Error(
          `A migration got no lock on its tables for 10 minutes (${reason}). It changed nothing. End the long transactions that pg_stat_activity shows, and migrate again.`,
          { cause: error },
        );
      onWait(reason);
      await sleep(PAUSE_MS);
    }
  }
}

/**
 * Gives an empty database the schema of the baseline, in one transaction, and notes the migrations that once made it.
 *
 * @returns whether it did
 * @throws ConfigError if some of these migrations have not run
 */
async function loadBaseline(dataSource: DataSource): Promise<boolean> {
  const executed = new Set(await executedNames(dataSource));
  if (BASELINE.migrations.every((name) => executed.has(name))) return false;
  if (executed.size > 0)
    throw new ConfigError(
      `The schema of this database is older than release ${BASELINE.release}. Run the command migrate of release ${BASELINE.release} first, then this one.`,
    );
  const sql = (file: string): string => readFileSync(join(ROOT, `migrations/baseline/${file}.sql`), 'utf8');
  // Makes the table of migrations.
  await dataSource.showMigrations();
  await dataSource.transaction(async ({ queryRunner: runner }) => {
    await runner!.query(sql('roles'));
    await createFunctions(runner!);
    for (const file of BASELINE.files) await runner!.query(sql(file));
    await runner!.query(
      'INSERT INTO migration (timestamp, name) SELECT right(name, 13)::bigint, name FROM unnest($1::text[]) name',
      [BASELINE.migrations],
    );
  });
  return true;
}

/** Returns the names of the migrations that have run, oldest first. */
async function executedNames(dataSource: DataSource): Promise<string[]> {
  const executed = await new MigrationExecutor(dataSource).getExecutedMigrations();
  return executed.map(({ name }) => name).reverse();
}

/**
 * Brings the schema up to date, each migration in a transaction of its own. Requests wait for it at most half a second
 * at a time: without its locks by then, a migration is undone and tried again a second later.
 *
 * @param url of the server that takes writes, with a role that owns the database and may create roles
 * @param afterwards runs once the schema is up to date, while no other process migrates
 * @returns the names of the migrations that ran
 * @throws Error after 10 minutes without a lock
 * @throws ConfigError if the schema is older than the baseline
 */
export async function migrateUp(
  url: string,
  afterwards: () => Promise<void>,
  onWait: OnWait,
): Promise<string[]> {
  return withMigrations(url, async (dataSource) => {
    const pending = await new MigrationExecutor(dataSource).getPendingMigrations();
    const done: string[] = [];
    const migrate = async (): Promise<void> => {
      if (await loadBaseline(dataSource)) done.push(`the schema of ${BASELINE.release}`);
      await dataSource.runMigrations({ transaction: 'each' });
    };
    await withPatience(dataSource, migrate, onWait);
    await afterwards();
    return [...done, ...pending.map(({ name }) => name)];
  });
}

/**
 * Undoes the last `steps` migrations, newest first.
 *
 * @throws Error after 10 minutes without a lock
 * @throws ConfigError if only the baseline is left
 */
export async function migrateDown(url: string, steps: number, onWait: OnWait): Promise<void> {
  await withMigrations(url, async (dataSource) => {
    for (let step = 0; step < steps; step++) {
      if ((await executedNames(dataSource)).at(-1) === BASELINE.migrations.at(-1))
        throw new ConfigError(
          `The schema of release ${BASELINE.release} is the oldest one: it cannot be undone.`,
        );
      await withPatience(dataSource, () => dataSource.undoLastMigration({ transaction: 'each' }), onWait);
    }
  });
}

/** An identifier of a data space that was not in NFC. */
export interface FoundIdentifier {
  readonly espace: string;
  readonly sorte: string;
  /** The campaign, the employee or the custom field that it is unique in; empty for others. */
  readonly portee: string;
  readonly identifiant: string;
  /** The present one; null if it stayed, because another row has the composed one. */
  readonly compose: string | null;
}

/**
 * Brings identifiers to NFC that no other row has, as the migration `ComposedIdentifiers` did, and returns those that were not.
 *
 * @param url of the server that takes writes, with the owner of the tables
 * @param within a data space, and the suffix for identifiers of other rows. All data spaces, without a suffix, if absent
 * @throws Error after 10 minutes without a lock
 */
export async function composeIdentifiers(
  url: string,
  within: readonly [space: string, suffix: string] | undefined,
  onWait: OnWait,
): Promise<FoundIdentifier[]> {
  return withMigrations(url, async (dataSource) => {
    let found: FoundIdentifier[] = [];
    const compose = async (): Promise<void> => {
      found = await dataSource.query('SELECT * FROM identifiants_composer($1, $2)', [
        ...(within ?? [null, '']),
      ]);
    };
    await withPatience(dataSource, compose, onWait);
    return found;
  });
}
