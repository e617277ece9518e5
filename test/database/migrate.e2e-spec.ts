import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { migrateDown, migrateUp } from '../../libs/platform/src/database/migrate';
import { eventually } from '../http/expect-problem';
import { lockWaits } from '../setup/lock-waits';
import { cloneTemplate } from '../setup/test-app';

/** A migration that changes `client`, then `reglage`. */
const TWO_TABLES = '1764000049860';

const REASON =
  'canceling statement due to lock timeout: ALTER TABLE reglage ADD COLUMN suspendu boolean NOT NULL DEFAULT false, ADD COLUMN repris_le timestamptz(3)';

let url: string;
let database: Client;
let rival: Client;
let reasons: string[];

const migrated = (): Promise<string[]> =>
  migrateUp(
    url,
    () => Promise.resolve(),
    (reason) => void reasons.push(reason),
  );

async function connected(): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

async function applied(): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>('SELECT name FROM migration ORDER BY id');
  return rows.map(({ name }) => name);
}

beforeEach(async () => {
  url = await cloneTemplate();
  reasons = [];
  [database, rival] = [await connected(), await connected()];
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rival.end();
  await database.end();
});

describe('A migration of a schema that is in use', () => {
  let before: string[];
  let undone: string[];

  beforeEach(async () => {
    before = await applied();
    const { rows } = await database.query<{ name: string }>(
      'SELECT name FROM migration WHERE timestamp >= $1 ORDER BY id',
      [TWO_TABLES],
    );
    undone = rows.map(({ name }) => name);
    await migrateDown(url, undone.length, () => undefined);
    await rival.query('BEGIN');
    await rival.query('LOCK TABLE reglage IN ROW EXCLUSIVE MODE');
  });

  it('gives up for a transaction that needs its tables in the other order, and succeeds afterwards', async () => {
    const migration = migrated();
    await lockWaits(database);
    // The migration has `client`. Without its limit, PostgreSQL would end it or the transaction as a deadlock.
    await rival.query('LOCK TABLE client IN ROW EXCLUSIVE MODE');
    await rival.query('COMMIT');
    expect(await migration).toEqual(undone);
    expect(await applied()).toEqual(before);
    expect(reasons.length).toBeGreaterThan(0);
    expect(new Set(reasons)).toEqual(new Set([REASON]));
  });

  it('waits for a lock as long as without earlier migrations, if those took ten minutes', async () => {
    const { now } = Date;
    const migration = migrated();
    await lockWaits(database);
    // Ten minutes pass before the first attempt ends.
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 600_001);
    await eventually(() => reasons.length > 0 || undefined, 'A wait');
    await rival.query('COMMIT');
    expect(await migration).toEqual(undone);
  });

  it('waits without a limit for another process that migrates', async () => {
    await rival.query('COMMIT');
    await rival.query('SELECT pg_advisory_lock(7304512201)');
    const migration = migrated();
    await lockWaits(database);
    await sleep(1_000);
    expect(reasons).toEqual([]);
    await rival.query('SELECT pg_advisory_unlock_all()');
    expect(await migration).toEqual(undone);
  });

  it('ends after ten minutes without its locks: an error that says what to do, and none of it is applied', async () => {
    const { now } = Date;
    const migration = migrated();
    migration.catch(() => undefined);
    await eventually(() => reasons.length > 0 || undefined, 'A wait');
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 600_001);
    await expect(migration).rejects.toThrow('End the long transactions that pg_stat_activity shows');
    expect(await applied()).toEqual(before.filter((name) => !undone.includes(name)));
    const { rows } = await database.query(
      `SELECT FROM information_schema.columns WHERE table_name = 'client' AND column_name = 'suspendu_le'`,
    );
    expect(rows).toEqual([]);
  });

  it('negative control: without the limit the two lock each other until PostgreSQL ends one', async () => {
    const other = await connected();
    try {
      await other.query('BEGIN; LOCK TABLE client IN ACCESS EXCLUSIVE MODE');
      const ends = await Promise.allSettled([
        other.query('LOCK TABLE reglage IN ACCESS EXCLUSIVE MODE'),
        rival.query('LOCK TABLE client IN ROW EXCLUSIVE MODE'),
      ]);
      const codes = ends.map((end) =>
        end.status === 'rejected' ? (end.reason as { code: string }).code : 'ok',
      );
      expect(codes.sort()).toEqual(['40P01', 'ok']);
    } finally {
      await other.end();
    }
  });
});
