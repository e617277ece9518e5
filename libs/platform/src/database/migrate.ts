import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { primaryUrlOf } from './primary';

/** Key of the lock (any constant) that lets one process at a time migrate a database. */
const MIGRATION_LOCK = 7_304_512_201;

/** PostgreSQL 18 brings uuidv7() and RETURNING OLD, which the schema and the syncs use. */
const MINIMUM_VERSION = 180_000;

/** The compiled migrations; built code only, as TypeORM runs JavaScript. */
const COMPILED = join(__dirname, '../../../../migrations/*.js');

async function withMigrations<T>(
  databaseUrl: string,
  work: (dataSource: DataSource, url: string) => Promise<T>,
): Promise<T> {
  const url = await primaryUrlOf(databaseUrl);
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    migrations: [COMPILED],
    migrationsTableName: 'migration',
    installExtensions: false,
    poolSize: 2,
    extra: { connectionTimeoutMillis: 10_000, options: '-c timezone=UTC' },
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
    await guard.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await work(dataSource, url);
  } finally {
    await guard.release();
    await dataSource.destroy();
  }
}

/**
 * Brings the schema up to date, each migration in a transaction of its own.
 *
 * @param databaseUrl a role that owns the database and may create roles
 * @param afterwards runs on the same server once the schema is up to date, while no other process migrates
 * @returns the names of the migrations that ran
 */
export async function migrateUp(
  databaseUrl: string,
  afterwards: (url: string) => Promise<void>,
): Promise<string[]> {
  return withMigrations(databaseUrl, async (dataSource, url) => {
    const done = await dataSource.runMigrations({ transaction: 'each' });
    await afterwards(url);
    return done.map((migration) => migration.name);
  });
}

/** Undoes the last `steps` migrations, newest first. */
export async function migrateDown(url: string, steps: number): Promise<void> {
  await withMigrations(url, async (dataSource) => {
    for (let step = 0; step < steps; step++) await dataSource.undoLastMigration({ transaction: 'each' });
  });
}
