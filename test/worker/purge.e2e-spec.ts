import { NestFactory } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { PurgeService } from '../../apps/worker/src/purge.service';
import { WorkerModule } from '../../apps/worker/src/worker.module';
import { Metrics } from '../../libs/platform/src/ops/metrics';
import { NO_TENANT } from '../../libs/platform/src/database/scope';
import { Child } from '../http/child-process';
import { eventually, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { words } from '../setup/words';

let app: TestApp;
let tenants: TestTenant[];
/** Holds locks, because tests must see work that waits. */
let saboteur: Client;
const children: Child[] = [];

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  tenants = [await app.tenant(), await app.tenant()];
  saboteur = await app.connect();
  for (const tenant of tenants) {
    await app.send(tenant, 'POST', '/b2b/v1/employe', { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' });
  }
});
afterAll(() => app.stop());
beforeEach(async () => {
  for (const owner of [NO_TENANT, ...tenants.map(({ tenantId }) => tenantId)])
    await app.database.query('DELETE FROM idempotency_record WHERE tenant_id = $1', [owner]);
  await app.database.query('TRUNCATE TABLE rate_window');
});
afterEach(async () => {
  await saboteur.query('ROLLBACK');
  await Promise.all(children.splice(0).map((child) => child.stop('SIGKILL')));
});

async function worker(environment: Record<string, string> = {}): Promise<Child> {
  const child = await Child.start('worker', { DATABASE_URL: app.config.databaseUrl, ...environment });
  children.push(child);
  return child;
}

/** Adds idempotency records of an age, under keys that begin with it. */
async function records(tenantId: string, age: string, count = 1): Promise<void> {
  await app.database.query(
    `INSERT INTO idempotency_record (tenant_id, idempotency_key, fingerprint, status, headers, sealed_body, date_creation)
     SELECT $1, $2 || ' ' || n, '\\x00', 201, '{}', '\\x00', now() - $2::interval FROM generate_series(1, $3) n`,
    [tenantId, age, count],
  );
}

async function windows(age: string): Promise<void> {
  await app.database.query(
    `INSERT INTO rate_window (cle_id, debut, used) VALUES ($1, now() - $2::interval, 5)`,
    [randomUUID(), age],
  );
}

async function column(text: string, values: unknown[] = []): Promise<string[]> {
  return (await app.database.query<{ value: string }>(text, values)).rows.map(({ value }) => value);
}
/** Returns the keys of tenants' and administrators' records, which may be on two servers. */
async function recordKeys(): Promise<string[]> {
  const text = 'SELECT idempotency_key AS value FROM idempotency_record WHERE tenant_id';
  const owned = await column(`${text} = ANY ($1)`, [tenants.map(({ tenantId }) => tenantId)]);
  return [...owned, ...(await column(`${text} = $1`, [NO_TENANT]))].sort();
}
const windowStarts = () => column(`SELECT debut::text AS value FROM rate_window ORDER BY debut`);

/** Counts the rows that the workers have logged as purged. */
function purged(...workers: Child[]): { idempotencyRecords: number; rateWindows: number } {
  const lines = workers.flatMap((one) => one.lines()).filter(({ msg }) => msg === 'purged');
  const sum = (what: string): number =>
    lines.reduce((total, line) => total + (line.what === what ? Number(line.count) : 0), 0);
  // With two servers, those of administrators are purged by themselves.
  const idempotencyRecords = sum('idempotency records') + sum('idempotency records of administration');
  return { idempotencyRecords, rateWindows: sum('rate windows') };
}

/** Returns all rows as text, except those of the two purged tables. */
async function everythingElse(): Promise<Record<string, string[]>> {
  const tables = await column(
    `SELECT table_name AS value FROM information_schema.tables WHERE table_schema = 'public'
     AND table_type = 'BASE TABLE' AND table_name NOT IN ('idempotency_record', 'rate_window')`,
  );
  const found: Record<string, string[]> = {};
  for (const table of tables)
    found[table] = await column(`SELECT t::text AS value FROM "${table}" t ORDER BY 1`);
  return found;
}

/** Returns the number of worker connections that wait for a lock. */
async function waits(): Promise<number> {
  const text = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'mandat worker'`;
  return (await app.database.query(text)).rowCount ?? 0;
}
const waiting = (count: number) =>
  eventually(async () => (await waits()) === count || undefined, `${count} waits of workers`);

async function get(from: Child, path: string): Promise<Answer> {
  const response = await fetch(from.url + path);
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

describe('the purge of the worker', () => {
  it('removes records older than 24 hours of every tenant and of administrators, and minutes that are over', async () => {
    for (const owner of [...tenants.map(({ tenantId }) => tenantId), NO_TENANT]) {
      for (const age of ['24 hours 1 second', '30 days', '23 hours 59 minutes', '0 seconds'])
        await records(owner, age);
    }
    for (const age of ['130 seconds', '2 days', '30 seconds', '0 seconds', '-30 seconds']) await windows(age);
    const begun = await windowStarts();
    const before = await everythingElse();
    expect(before.employe).toHaveLength(2);

    const one = await worker();
    await eventually(() => purged(one).rateWindows || undefined, 'The purge');
    expect(purged(one)).toEqual({ idempotencyRecords: 6, rateWindows: 2 });
    const kept = ['0 seconds 1', '23 hours 59 minutes 1'];
    expect(await recordKeys()).toEqual(kept.flatMap((key) => [key, key, key]));
    expect(begun).toHaveLength(5);
    expect(await windowStarts()).toEqual(begun.slice(2));
    expect(await everythingElse()).toEqual(before);
    expect(one.errors).toBe('');
  });

  it('logs only its start and stop without expired rows', async () => {
    await records(tenants[0]!.tenantId, '1 hour');
    const one = await worker();
    await one.stop();
    expect(one.lines().map(({ msg }) => msg)).toEqual(['listening', 'stopping', 'stopped']);
    expect(await recordKeys()).toEqual(['1 hour 1']);
  });

  it('deletes a backlog in runs of at most 1,000 rows', async () => {
    await app.database.query(`
      CREATE TABLE removed (rows integer);
      GRANT ALL ON removed TO public;
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO removed SELECT count(*) FROM gone; RETURN NULL; END $$;
      CREATE TRIGGER note AFTER DELETE ON idempotency_record REFERENCING OLD TABLE AS gone EXECUTE FUNCTION note();`);
    await records(tenants[0]!.tenantId, '25 hours', 4_500);
    const one = await worker();
    await eventually(() => (purged(one).idempotencyRecords === 4_500 ? true : undefined), 'The purge');
    const { rows } = await app.database.query<{ rows: number }>('SELECT rows FROM removed');
    await app.database.query(
      'DROP TRIGGER note ON idempotency_record; DROP FUNCTION note; DROP TABLE removed',
    );
    // That of administration has no rows.
    const runs = rows.map((run) => run.rows).filter((removed) => removed > 0);
    expect(runs).toEqual([1_000, 1_000, 1_000, 1_000, 500]);
  });

  it('two workers at once delete each row once, without errors', async () => {
    await records(tenants[0]!.tenantId, '25 hours', 5_000);
    await records(tenants[1]!.tenantId, '26 hours', 5_000);
    await records(tenants[1]!.tenantId, '1 hour', 10);
    for (let age = 200; age < 300; age++) await windows(`${age} seconds`);
    // Both wait for the locked table, so they continue at the same moment.
    await saboteur.query('BEGIN');
    await saboteur.query('LOCK TABLE idempotency_record IN ACCESS EXCLUSIVE MODE');
    const both = await Promise.all([worker(), worker()]);
    await waiting(2);
    await saboteur.query('ROLLBACK');
    // One may find only rows that the other has locked, and finish its round first.
    await eventually(async () => (await recordKeys()).length === 10 || undefined, 'The records');
    await eventually(async () => (await windowStarts()).length === 0 || undefined, 'The minutes');
    expect(await Promise.all(both.map((one) => one.stop()))).toEqual([0, 0]);
    expect(purged(...both)).toEqual({ idempotencyRecords: 10_000, rateWindows: 100 });
    expect(both.flatMap((one) => one.lines()).filter(({ level }) => Number(level) > 30)).toEqual([]);
    expect(await recordKeys()).toHaveLength(10);
  });

  it('keeps a record that a request takes over while the purge runs', async () => {
    await records(tenants[0]!.tenantId, '25 hours', 2);
    await saboteur.query('BEGIN');
    await saboteur.query(
      `UPDATE idempotency_record SET date_creation = now() WHERE idempotency_key = '25 hours 1'`,
    );
    const one = await worker();
    // The purge meets the request's lock. It may wait for it or skip the row.
    const met = async () => (await waits()) > 0 || purged(one).idempotencyRecords > 0 || undefined;
    await eventually(met, 'The encounter');
    await saboteur.query('COMMIT');
    await eventually(() => purged(one).idempotencyRecords || undefined, 'The purge');
    expect([purged(one).idempotencyRecords, await recordKeys()]).toEqual([1, ['25 hours 1']]);
  });

  it('a failed purge is logged with its SQLSTATE only, and the worker continues', async () => {
    await app.database.query('ALTER TABLE idempotency_record RENAME TO elsewhere');
    try {
      const one = await worker();
      const line = await eventually(() => one.lines().find(({ level }) => level === 40), 'The warning');
      expect(line).toEqual({
        level: 40,
        time: expect.any(Number),
        process: 'worker',
        sqlState: '42P01',
        failures: 1,
        msg: 'the purge of idempotency records failed and will be tried again',
      });
      expect((await get(one, '/health/ready')).status).toBe(200);
      expect([one.isRunning, one.errors]).toEqual([true, '']);
    } finally {
      await app.database.query('ALTER TABLE elsewhere RENAME TO idempotency_record');
    }
  });

  it('a purge that fails three times in a row makes the worker unready, until it succeeds', async () => {
    const worker = await startWorker(app.config);
    await worker.listen(0, '127.0.0.1');
    const url = await worker.getUrl();
    const ready = async () => (await fetch(`${url}/health/ready`)).status;
    const failures = async () =>
      /^mandat_recurring_work_failures\{.*work="the purge of tasks".*\} (\d+)/m.exec(
        await worker.get(Metrics).text(),
      )?.[1];
    const purge = () => worker.get(PurgeService).purge();
    try {
      await app.database.query('ALTER TABLE tache RENAME TO elsewhere');
      try {
        // The first round of the worker itself has ended before or fails, too.
        await purge();
        await purge();
        await purge();
      } finally {
        await app.database.query('ALTER TABLE elsewhere RENAME TO tache');
      }
      const response = await fetch(`${url}/health/ready`);
      expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([
        503,
        'Work of this process fails each time: the purge of tasks.',
      ]);
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
      // The metrics are read from the database at most once a second.
      await eventually(async () => Number(await failures()) >= 3 || undefined, 'The count of failures');
      await purge();
      expect(await ready()).toBe(200);
      await eventually(async () => (await failures()) === '0' || undefined, 'The count without failures');
    } finally {
      await worker.close();
    }
  });

  it('removes the notes of work that no process has taken up for a day, and none that was put aside', async () => {
    await app.database.query(
      `INSERT INTO travail_en_cours (espace, travail, id, processus, jusqua, morts, mis_de_cote)
       SELECT uuidv7(), travail, uuidv7(), '', now() - age::interval, 1, aside::timestamptz
       FROM (VALUES ('old', '25 hours', NULL), ('recent', '23 hours', NULL), ('aside', '25 hours', '2026-01-01'))
         v (travail, age, aside)`,
    );
    const worker = await startWorker(app.config);
    try {
      await worker.get(PurgeService).purge();
    } finally {
      await worker.close();
    }
    expect(await column('SELECT travail AS value FROM travail_en_cours ORDER BY 1')).toEqual([
      'aside',
      'recent',
    ]);
    await app.database.query('DELETE FROM travail_en_cours');
  });

  it('a purge that runs when the worker stops is finished first', async () => {
    await records(tenants[0]!.tenantId, '25 hours', 3);
    await saboteur.query('BEGIN');
    await saboteur.query('LOCK TABLE idempotency_record IN ACCESS EXCLUSIVE MODE');
    const one = await worker();
    await waiting(1);
    one.process.kill('SIGTERM');
    await eventually(() => one.output.includes('"msg":"stopping"') || undefined, 'The stop');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(one.isRunning).toBe(true);
    await saboteur.query('ROLLBACK');
    expect(await one.exited).toBe(0);
    expect([purged(one).idempotencyRecords, one.errors, await recordKeys()]).toEqual([3, '', []]);
  });
});

describe('the purge, as time passes', () => {
  it('runs at the start, a minute after each round, also after a failure, and not after the stop', async () => {
    const minutes = new Map<NodeJS.Timeout, () => void>();
    const { setTimeout: start, clearTimeout: clear } = globalThis;
    const sleep = (ms: number) => new Promise((resolve) => start(resolve, ms));
    // Timers of a minute wait until `pass` runs them. All others are real.
    jest.spyOn(globalThis, 'setTimeout').mockImplementation((work: () => void, ms?: number) => {
      if (ms !== 60_000) return start(work, ms);
      const timer = start(() => undefined, 0);
      minutes.set(timer, work);
      return timer;
    });
    jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
      minutes.delete(timer as NodeJS.Timeout);
      clear(timer);
    });
    const pass = (): void => {
      const due = [...minutes.values()];
      minutes.clear();
      for (const work of due) work();
    };
    await records(tenants[0]!.tenantId, '25 hours');
    const isGone = async (): Promise<true | undefined> =>
      (await recordKeys()).length === 0 ? true : undefined;
    const gone = () => eventually(isGone, 'A purge');
    // The round before may still run, and then has no timer yet.
    const goneLater = () =>
      eventually(() => {
        pass();
        return isGone();
      }, 'A later purge');
    const module = await NestFactory.createApplicationContext(WorkerModule.forRoot(app.config), {
      logger: false,
    });
    try {
      await gone();
      // A round looks for more until there is none.
      await sleep(1_500);
      await records(tenants[0]!.tenantId, '25 hours');
      await sleep(200);
      expect(await recordKeys()).toHaveLength(1);
      await goneLater();

      await sleep(200);
      await records(tenants[0]!.tenantId, '25 hours');
      await app.database.query('ALTER TABLE idempotency_record RENAME TO elsewhere');
      pass();
      await sleep(1_000);
      await app.database.query('ALTER TABLE elsewhere RENAME TO idempotency_record');
      await goneLater();
    } finally {
      await module.close();
      expect(minutes.size).toBe(0);
      jest.restoreAllMocks();
    }
  });
});

describe('the process of the worker', () => {
  it('answers its probes and its measurements, and serves nothing else', async () => {
    const one = await worker();
    for (const probe of ['live', 'ready', 'startup']) {
      const { status, headers, json } = await get(one, `/health/${probe}`);
      expect([status, headers.get('content-type'), json]).toEqual([
        200,
        'application/json; charset=utf-8',
        { statut: 'ok' },
      ]);
    }
    const metrics = await get(one, '/metrics');
    expect(metrics.status).toBe(200);
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(metrics.text).toContain('# TYPE ');
    for (const path of words(`/ /docs /b2b/v1/moi /b2b/v1/employe /admin/v1/clients /api/b2b/employes`))
      expectProblem(await get(one, path), 404, 'Ressource.NotFound');
  });

  it('measures the due jobs that wait in each queue', async () => {
    await app.database.query(`SELECT pgboss.create_queue('essai', '{"policy": "standard"}')`);
    await app.database.query(
      `INSERT INTO pgboss.job (name, start_after) VALUES ('essai', now()), ('essai', now()), ('essai', now() + interval '1 day')`,
    );
    const one = await worker();
    const depth = async (): Promise<string | undefined> =>
      /^mandat_queue_depth\{.*queue="essai".*\} (\d+)/m.exec((await get(one, '/metrics')).text)?.[1];
    await eventually(async () => ((await depth()) === '2' ? true : undefined), 'The depth of the queue', 30);
  });

  it('is live but not ready while its database rejects it; later it is ready again', async () => {
    const name = new URL(app.dataUrl).pathname.slice(1);
    // A database cannot be closed from within.
    const outside = new Client({ connectionString: new URL('/postgres', app.dataUrl).href });
    await outside.connect();
    const one = await worker();
    const probes = async (): Promise<number[]> =>
      Promise.all(
        ['live', 'ready', 'startup'].map(async (probe) => (await get(one, `/health/${probe}`)).status),
      );
    await outside.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    try {
      await app.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mandat worker' AND datname = current_database()`,
      );
      await eventually(
        async () => ((await probes()).join() === '200,503,503' ? true : undefined),
        'The refusal',
      );
    } finally {
      await outside.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await outside.end();
    }
    await eventually(
      async () => ((await probes()).join() === '200,200,200' ? true : undefined),
      'The recovery',
    );
    expect([one.isRunning, one.errors]).toEqual([true, '']);
  });

  it('SIGTERM ends it with 0; a second one on the same port ends with 1 and the reason', async () => {
    const one = await worker();
    const { port } = new URL(one.url);
    const second = await Child.spawn('worker', { DATABASE_URL: app.config.databaseUrl, WORKER_PORT: port });
    expect(await second.exited).toBe(1);
    expect(second.errors).toBe(`Port ${port} is in use: set PORT (and WORKER_PORT) to free ones.\n`);
    expect([await one.stop(), one.errors]).toEqual([0, '']);
  });
});
