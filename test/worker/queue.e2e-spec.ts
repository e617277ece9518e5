import { randomUUID } from 'node:crypto';
import { JobQueue } from '../../libs/platform/src/jobs/job-queue';
import { QueueDatabase } from '../../libs/platform/src/jobs/queue-database';
import { TestApp } from '../setup/test-app';

const QUEUE = { name: 'livraison' };

let app: TestApp;
beforeEach(async () => {
  app = await TestApp.own('sees all tenants');
});
afterEach(() => app.stop());

/** Adds jobs of a group that are due at a time from now, each a millisecond later than the one before. */
async function add(group: string, count: number, dueIn: string): Promise<void> {
  await app.database.query(
    `INSERT INTO pgboss.job (name, data, group_id, created_on, start_after, policy)
     SELECT 'livraison', jsonb_build_object('n', n), $1, now() - interval '2 days', now() + $3::interval + n * interval '1 ms', 'standard'
     FROM generate_series(1, $2::int) n`,
    [group, count, dueIn],
  );
}

const take = (limit: number, perGroup: number, without: string[] = []) =>
  app.app.get(JobQueue).take<{ n: number }>(QUEUE, limit, perGroup, without);

/** The groups of the leased jobs, with their numbers. */
async function leased(): Promise<Record<string, number>> {
  const { rows } = await app.database.query<{ group: string; count: number }>(
    `SELECT group_id AS "group", count(*)::int AS count FROM pgboss.job WHERE state = 'active' GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ group, count }) => [group, count]));
}

describe('A fetch from a queue', () => {
  it('has jobs of every group, however many older ones a group has', async () => {
    const [many, few, none] = [randomUUID(), randomUUID(), randomUUID()];
    await add(many, 1_000, '-1 day');
    await add(few, 2, '-1 hour');
    await add(none, 5, '1 hour');
    expect(await take(10, 512)).toHaveLength(10);
    expect(await leased()).toEqual({ [many]: 8, [few]: 2 });
    await add(few, 20, '-1 hour');
    await take(10, 512);
    expect(await leased()).toEqual({ [many]: 10, [few]: 10 });
  });

  it('takes the jobs of a group that are due longest, up to its limit, and skips groups', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    await add(one, 20, '-1 day');
    await add(other, 20, '-1 day');
    expect((await take(50, 3, [other])).map(({ data }) => data.n).sort()).toEqual([1, 2, 3]);
    expect(await take(50, 3, [other])).toEqual([]);
    expect(await leased()).toEqual({ [one]: 3 });
  });

  it('two at once take each job once', async () => {
    await add(randomUUID(), 100, '-1 day');
    const both = (await Promise.all([take(60, 512), take(60, 512)])).flat();
    expect(new Set(both.map(({ id }) => id)).size).toBe(100);
    expect(both).toHaveLength(100);
  });

  it('does not read the jobs that wait behind: 50,000 that are due later, and 50,000 of a group that it skips', async () => {
    const [later, full] = [randomUUID(), randomUUID()];
    await add(later, 50_000, '1 day');
    await add(full, 50_000, '-1 day');
    const database = app.app.get(QueueDatabase);
    const statements = jest.spyOn(database, 'executeSql');
    await take(256, 512, [full]);
    // The measurement of a worker.
    await database.ages();
    for (const part of ['SKIP LOCKED', 'min(start_after)']) {
      const [text, values] = statements.mock.calls.find(([one]) => one.includes(part))!;
      await app.database.query('BEGIN; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off');
      const { rows } = await app.database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
        values,
      );
      await app.database.query('ROLLBACK');
      const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
      expect(plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!).toBeLessThan(200);
    }
  });
});

describe('The queues of deliveries and emails', () => {
  it('keep jobs longer than 30 days, the time that the rows to which they refer are kept', async () => {
    const { rows } = await app.database.query<{ name: string }>(
      `SELECT name FROM pgboss.queue WHERE name IN ('livraison', 'courriel') AND retention_seconds > 31 * 86400 ORDER BY name`,
    );
    expect(rows).toEqual([{ name: 'courriel' }, { name: 'livraison' }]);
  });
});
