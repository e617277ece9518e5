import type { INestApplication } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { Child } from '../http/child-process';
import { eventually, expectFaults, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { BUDGETS } from '../../libs/platform/src/limits/budgets';
import { TacheRepository } from '../../libs/sync/src/persistence/tache.repository';
import { lockWaits, waitingNow } from '../setup/lock-waits';

/** The queue detects a dead worker by its missing heartbeat, within half a minute. */
const PATIENCE_MS = 60_000;

let app: TestApp;
let tenant: TestTenant;
/** Holds a lock that stops a task in the middle of its work. */
let saboteur: Client;
const workers: INestApplication[] = [];
const children: Child[] = [];

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  saboteur = await app.connect();
});
afterAll(() => app.stop());
beforeEach(async () => {
  tenant = await app.tenant();
});
afterEach(async () => {
  await saboteur.query('ROLLBACK');
  await Promise.all(workers.splice(0).map((one) => one.close()));
  await Promise.all(children.splice(0).map((child) => child.stop('SIGKILL')));
});

async function worker(): Promise<void> {
  workers.push(await startWorker(app.config));
}

/** A worker in a process of its own, which can be killed. */
async function mortalWorker(): Promise<Child> {
  const child = await Child.start('worker', { DATABASE_URL: app.config.databaseUrl });
  children.push(child);
  return child;
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A sync of `size` valid employees with an employment each, and one invalid one. */
function body(size: number, nom = 'Roy'): object {
  const employe = (index: number) => ({
    IdExterne: `E-${index}`,
    Prenom: 'Zoé',
    Nom: nom,
    Emplois: [{ IdentifiantExterne: 'J', IdentifiantExterneEmployeur: 'EMP-1', Matricule: `${index}` }],
  });
  return {
    Syndicats: [
      {
        IdentifiantExterne: 'S',
        Nom: 'Syndicat',
        Employeurs: [{ IdentifiantExterne: 'EMP-1', Nom: 'Aciérie' }],
      },
    ],
    Employes: [...many(size, employe), { IdExterne: 'BAD' }],
  };
}

const submit = (sent: unknown, query = '', headers: Record<string, string> = {}): Promise<Answer> =>
  app.send(tenant, 'POST', `/b2b/v2/sync${query}`, sent, { Prefer: 'respond-async', ...headers });

const read = async (id: string): Promise<Answer['json']> =>
  (await app.send(tenant, 'GET', `/b2b/v2/tache/${id}`)).json;

async function until(id: string, wanted: (tache: Answer['json']) => boolean): Promise<Answer['json']> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const tache = await read(id);
    if (wanted(tache)) return tache;
    if (Date.now() > end) throw new Error(`The task is still ${JSON.stringify(tache).slice(0, 300)}`);
    await sleep(50);
  }
}

const over = (tache: Answer['json']): boolean => tache.etat === 'Reussie' || tache.etat === 'Echouee';

async function rows(text: string): Promise<Record<string, unknown>[]> {
  return (await app.database.query<Record<string, unknown>>(text, [tenant.tenantId])).rows;
}
const employees = async (): Promise<number> =>
  (await rows('SELECT FROM employe WHERE tenant_id = $1')).length;

/** Blocks writes of employees until it is released: the sync stops between its check and its writes. */
async function standStill(): Promise<void> {
  await saboteur.query('BEGIN');
  await saboteur.query('LOCK TABLE employe IN SHARE MODE');
}

describe('POST /b2b/v2/sync with Prefer: respond-async', () => {
  it('202 with the task, its Location and Preference-Applied; nothing is written before a worker runs', async () => {
    const answer = await submit(body(3));
    expect(answer.status).toBe(202);
    expect(answer.headers.get('preference-applied')).toBe('respond-async');
    const { id } = answer.json;
    expect(answer.headers.get('location')).toBe(`/b2b/v2/tache/${id}`);
    expect(answer.json).toEqual({ id, type: 'sync', etat: 'EnAttente', traites: 0, total: 5 });
    expect(await read(id)).toEqual(answer.json);
    expect(await employees()).toBe(0);
    expect((await app.send(tenant, 'GET', `/api/b2b/v2/tache/${id}`)).status).toBe(200);
  });

  it('the result is the response of the same sync, and the body is deleted', async () => {
    const sent = body(1_000);
    const expected = await app.send(tenant, 'POST', '/b2b/v2/sync?simulation=true', sent);
    const { id } = (await submit(sent)).json;
    await worker();
    const tache = await until(id, over);
    expect(tache).toEqual({
      id,
      type: 'sync',
      etat: 'Reussie',
      traites: 1_002,
      total: 1_002,
      resultat: expected.json,
      effets: {
        ...{ crees: 2_002, modifies: 0, inchanges: 0, termines: 0, champsVides: 0, refuses: 1 },
      },
    });
    expect(tache.resultat.Employes).toMatchObject({ AddCount: 1_000, UpdateCount: 0 });
    expect(await employees()).toBe(1_000);
    expect(await rows('SELECT corps FROM tache WHERE tenant_id = $1')).toEqual([{ corps: null }]);
  });

  it('the progress is true while it runs, and changes no other task', async () => {
    const ended = (await submit({})).json.id as string;
    await worker();
    const before = await until(ended, over);
    await standStill();
    const { id } = (await submit(body(4_000))).json;
    const waiting = (await submit(body(1))).json;
    // All records have been checked, and only the unions have been written.
    const halfway = await until(id, ({ traites }) => traites >= 2_000);
    expect(halfway).toMatchObject({ etat: 'EnCours', total: 4_002 });
    expect(halfway.traites).toBeLessThan(4_002);
    expect(halfway.resultat).toBeUndefined();
    expect(await read(ended)).toEqual(before);
    expect(await read(waiting.id)).toMatchObject({ traites: 0, total: 3 });
    await saboteur.query('ROLLBACK');
    expect(await until(id, over)).toMatchObject({ etat: 'Reussie', traites: 4_002 });
  });

  it('a worker is killed in the middle: another one takes the task over, with the right counts and rows', async () => {
    await standStill();
    const { id } = (await submit(body(2_000))).json;
    const first = await mortalWorker();
    await until(id, ({ traites }) => traites > 0);
    await first.stop('SIGKILL');
    await saboteur.query('ROLLBACK');
    expect(await employees()).toBe(0);
    await worker();
    const { etat, traites, total, resultat } = await until(id, over);
    expect({ etat, traites, total }).toEqual({ etat: 'Reussie', traites: 2_002, total: 2_002 });
    expect(resultat.Employes).toMatchObject({ AddCount: 2_000, UpdateCount: 0 });
    expect(resultat.Employes.Erreurs).toHaveLength(1);
    expect(resultat.Emplois).toEqual({ AddCount: 2_000, UpdateCount: 0, Erreurs: [] });
    expect(await employees()).toBe(2_000);
  });

  it('a job that runs twice has one effect: the task keeps its result and nothing is rewritten', async () => {
    const { id } = (await submit(body(5))).json;
    await worker();
    const done = await until(id, over);
    const employe = 'SELECT id_externe, derniere_maj FROM employe WHERE tenant_id = $1 ORDER BY 1';
    const before = await rows(employe);
    await app.send(tenant, 'DELETE', '/b2b/v1/employe/E-0');
    // As if the worker had died between the commit and the end of the job.
    await app.database.query(
      `UPDATE pgboss.job SET state = 'created', completed_on = NULL, output = NULL WHERE data ->> 'tacheId' = $1`,
      [id],
    );
    const state = async (): Promise<string> =>
      (
        await app.database.query<{ state: string }>(
          `SELECT state FROM pgboss.job WHERE data ->> 'tacheId' = $1`,
          [id],
        )
      ).rows[0]!.state;
    while ((await state()) !== 'completed') await sleep(50);
    expect(await read(id)).toEqual(done);
    expect(await rows(employe)).toEqual(before.slice(1));
  });

  it('a worker that stops in order ends its task first', async () => {
    await standStill();
    const { id } = (await submit(body(500))).json;
    const child = await mortalWorker();
    await until(id, ({ traites }) => traites > 0);
    const stopped = child.stop('SIGTERM');
    await sleep(200);
    await saboteur.query('ROLLBACK');
    expect(await stopped).toBe(0);
    expect(await read(id)).toMatchObject({ etat: 'Reussie', traites: 502 });
  });

  it('a task whose workers die repeatedly fails, with its reason', async () => {
    await standStill();
    const { id } = (await submit(body(10))).json;
    await app.database.query(`UPDATE pgboss.job SET retry_limit = 0 WHERE data ->> 'tacheId' = $1`, [id]);
    const first = await mortalWorker();
    await until(id, ({ traites }) => traites > 0);
    await first.stop('SIGKILL');
    await saboteur.query('ROLLBACK');
    await worker();
    const tache = await until(id, over);
    expect(tache).toMatchObject({ etat: 'Echouee', total: 12, erreur: { code: 'Service.ErreurInterne' } });
    expect(tache.resultat).toBeUndefined();
    expect(await employees()).toBe(0);
  });

  it('a body whose records are not JSON: Echouee with the error, and nothing is written', async () => {
    const broken = JSON.stringify(body(10)).replace('"Nom":"Roy"', '"Nom":Roy');
    const refusal = (await app.send(tenant, 'POST', '/b2b/v2/sync', broken)).json;
    const { id } = (await submit(broken)).json;
    await worker();
    expect(await until(id, over)).toMatchObject({
      etat: 'Echouee',
      erreur: { code: 'Requete.Invalide', detail: refusal.detail },
    });
    expect(await employees()).toBe(0);
  });

  it('with ?simulation=true the task returns the expected result and writes nothing', async () => {
    const { id } = (await submit(body(20), '?simulation=true')).json;
    await worker();
    const { etat, resultat } = await until(id, over);
    expect([etat, resultat.Employes.AddCount]).toEqual(['Reussie', 20]);
    expect(await employees()).toBe(0);
  });

  it('several tasks of a tenant and of others all end, each with its own result', async () => {
    const other = await app.tenant();
    const tasks = await Promise.all([
      ...['A', 'B', 'C'].map((nom) => submit(body(200, nom))),
      app.send(other, 'POST', '/b2b/v2/sync', body(50), { Prefer: 'respond-async' }),
    ]);
    await Promise.all([worker(), worker()]);
    const foreign = tasks.pop()!.json;
    for (const { json } of tasks) {
      const { resultat } = await until(json.id, over);
      expect(resultat.Employes.AddCount + resultat.Employes.UpdateCount).toBe(200);
    }
    let theirs: Answer['json'];
    do theirs = (await app.send(other, 'GET', `/b2b/v2/tache/${foreign.id}`)).json;
    while (!over(theirs));
    expect(theirs.resultat.Employes.AddCount).toBe(50);
    expect(await employees()).toBe(200);
  });

  it('tasks of a tenant run one at a time, in the order of their arrival, if workers fetch at the same moment', async () => {
    const spaces = await Promise.all(many(4, () => app.tenant()));
    const firsts: string[] = [];
    for (tenant of spaces) {
      firsts.push((await submit(body(2, 'Premier'))).json.id as string);
      await submit(body(2, 'Second'));
    }
    await standStill();
    await saboteur.query('SAVEPOINT fetches');
    await saboteur.query('LOCK TABLE pgboss.job_common IN ACCESS EXCLUSIVE MODE');
    await Promise.all([worker(), worker()]);
    const fetches = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND (query LIKE '%DISTINCT ON (j.group_id)%' OR wait_event = 'advisory')`;
    await eventually(
      async () => (await app.database.query(fetches)).rowCount! >= 2 || undefined,
      'Two looks at the queue at once',
    );
    await saboteur.query('ROLLBACK TO SAVEPOINT fetches');
    const running = async (): Promise<string[]> => {
      const text = `SELECT id_unique AS id FROM tache WHERE etat = 'EnCours' AND tenant_id = ANY ($1)`;
      const ids = spaces.map(({ tenantId }) => tenantId);
      return (await app.database.query<{ id: string }>(text, [ids])).rows.map(({ id }) => id);
    };
    const four = await eventually(async () => {
      const ids = await running();
      return ids.length === 4 ? ids : undefined;
    }, 'Four running tasks');
    expect(four.sort()).toEqual(firsts.sort());
    await saboteur.query('ROLLBACK');
    for (tenant of spaces) {
      const open = 'SELECT FROM tache WHERE tenant_id = $1 AND date_fin IS NULL';
      while ((await rows(open)).length > 0) await sleep(50);
      expect(await rows('SELECT DISTINCT nom FROM employe WHERE tenant_id = $1')).toEqual([
        { nom: 'Second' },
      ]);
    }
  });

  it('under an Idempotency-Key, sent again: the same task and no second one', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const [first, again] = [await submit(body(3), '', headers), await submit(body(3), '', headers)];
    expect([again.status, again.text]).toEqual([202, first.text]);
    for (const name of ['location', 'preference-applied']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(await rows('SELECT FROM tache WHERE tenant_id = $1')).toHaveLength(1);
  });

  it('an invalid sync is rejected at once, and leaves neither task nor job', async () => {
    const jobs = async (): Promise<unknown> =>
      (await app.database.query('SELECT count(*) FROM pgboss.job')).rows;
    const before = await jobs();
    expectFaults(await submit({ Employes: {} }), { '/Employes': 'type' });
    expectFaults(await submit({ Employeurs: [] }), { '/Employeurs': 'unknown' });
    expectProblem(await submit('{"Employes":[{]}'), 400, 'Requete.Invalide');
    const lists = { Employes: many(125_001, () => null), ObjetsConsentement: many(125_000, () => null) };
    expectProblem(await submit(lists), 413, 'Requete.TropVolumineuse');
    expect(await rows('SELECT FROM tache WHERE tenant_id = $1')).toEqual([]);
    expect(await jobs()).toEqual(before);
  });

  it('429 for the 21st unfinished task of a tenant, without a task; other tenants are not limited', async () => {
    const first = await Promise.all(many(20, () => submit({})));
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([202]));
    const refused = await submit({});
    expectProblem(refused, 429, 'Debit.Depasse');
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(await rows('SELECT FROM tache WHERE tenant_id = $1')).toHaveLength(20);
    tenant = await app.tenant();
    expect((await submit({})).status).toBe(202);
  });

  it('a sync that exceeds a time limit is not retried: Echouee, and nothing is written', async () => {
    await standStill();
    const { id } = (await submit(body(5))).json;
    await worker();
    // The worker also runs the tasks of the test before, and one of those may be the first to wait.
    const tache = await eventually(
      async () => {
        await app.database.query('SELECT pg_cancel_backend(pid) FROM unnest($1::int[]) pid', [
          await waitingNow(app.database),
        ]);
        const state = await read(id);
        return over(state) ? state : undefined;
      },
      'the end of the task',
      PATIENCE_MS / 1_000,
    );
    await saboteur.query('ROLLBACK');
    const attempts = `SELECT retry_count AS retries FROM pgboss.job WHERE data ->> 'tacheId' = $1`;
    expect((await app.database.query(attempts, [id])).rows).toEqual([{ retries: 0 }]);
    const detail = expect.stringContaining('Send it in smaller parts');
    expect(tache).toMatchObject({ etat: 'Echouee', erreur: { code: 'Service.Indisponible', detail } });
    expect(await employees()).toBe(0);
  });

  it('an empty sync is a task like any other; one without a body is rejected', async () => {
    expectFaults(await submit(undefined), { '': 'type' });
    const { status, json } = await submit({});
    expect([status, json.total]).toEqual([202, 0]);
    await worker();
    expect(await until(json.id, over)).toMatchObject({ etat: 'Reussie', traites: 0 });
  });

  it('the queue holds ids and no part of the body, also for a job that failed and is retried', async () => {
    await standStill();
    const { id } = (await submit(body(5, 'Sécret'))).json;
    await worker();
    await until(id, ({ traites }) => traites > 0);
    await app.database.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid', [
      await lockWaits(app.database),
    ]);
    await saboteur.query('ROLLBACK');
    // The retry after a broken connection succeeds.
    expect(await until(id, over)).toMatchObject({ etat: 'Reussie' });
    const { rows: jobs } = await app.database.query<{ job: string }>(
      'SELECT j::text AS job FROM pgboss.job j',
    );
    expect(jobs.length).toBeGreaterThan(0);
    for (const { job } of jobs) expect(job).not.toMatch(/Sécret|Zoé|EMP-1|E-\d/);
    const { rows: data } = await app.database.query(
      `SELECT DISTINCT key FROM pgboss.job, jsonb_object_keys(data) key ORDER BY key`,
    );
    expect(data).toEqual(['actor', 'isShort', 'language', 'tacheId', 'tenantId'].map((key) => ({ key })));
  });
});

describe('ended tasks', () => {
  it('the worker deletes them 7 days after their end, not earlier, and never deletes unfinished tasks', async () => {
    const { id } = (await submit({})).json;
    await worker();
    await until(id, over);
    const insert = (age: string): Promise<unknown> =>
      app.database.query(
        `INSERT INTO tache (tenant_id, type, etat, total, simulation, date_creation, date_fin)
         VALUES ($1, 'sync', 'Reussie', 0, false, now() - interval '30 days', now() - $2::interval)`,
        [tenant.tenantId, age],
      );
    await insert('7 days 1 minute');
    await insert('6 days 23 hours');
    await app.database.query(
      `INSERT INTO tache (tenant_id, type, etat, total, simulation, corps, date_creation)
       VALUES ($1, 'sync', 'EnAttente', 0, false, '{}', now() - interval '30 days')`,
      [tenant.tenantId],
    );
    const left = (): Promise<Record<string, unknown>[]> =>
      rows(`SELECT (now() - date_fin)::interval AS age FROM tache WHERE tenant_id = $1`);
    // A worker purges when it starts; one that is already running may have purged before.
    await worker();
    const end = Date.now() + PATIENCE_MS;
    while ((await left()).length > 3 && Date.now() < end) await sleep(50);
    await sleep(500);
    expect(await left()).toHaveLength(3);
    expect(
      await rows(`SELECT FROM tache WHERE tenant_id = $1 AND date_fin < now() - interval '7 days'`),
    ).toEqual([]);
  });

  it('a statement of the purge deletes results of at most 256 MiB and one more', async () => {
    await rows(
      `INSERT INTO tache (tenant_id, type, etat, total, simulation, date_fin, octets)
       SELECT $1, 'sync', 'Reussie', 1, false, now() - interval '8 days', 55 * 1048576 FROM generate_series(1, 12)`,
    );
    const taches = app.app.get(TacheRepository);
    const removed: number[] = [];
    do removed.push(await taches.purgeExpired([tenant.tenantId]));
    while (removed.at(-1)! > 0);
    expect(removed).toEqual([5, 5, 2, 0]);
  });
});

describe('GET /b2b/v2/tache/:id', () => {
  /** A sync whose result has 3 MB. */
  const bad = {
    ...body(2),
    Employes: many(15_000, (index) => ({ IdExterne: `É-${index}-`.padEnd(160, 'é'), Prenom: 'Zoé' })),
  };

  it('a long result is the response of the same sync, byte for byte; 304 for its ETag', async () => {
    const expected = await app.send(tenant, 'POST', '/b2b/v2/sync?simulation=true', bad);
    expect(expected.text.length).toBeGreaterThan(2 ** 20);
    expect(expected.text).toBe(JSON.stringify(expected.json));
    const { id } = (await submit(bad, '?simulation=true')).json;
    await worker();
    await until(id, over);
    const path = `/b2b/v2/tache/${id}`;
    const answer = await app.send(tenant, 'GET', path);
    const effets = { crees: 2, modifies: 0, inchanges: 0, termines: 0, champsVides: 0, refuses: 15_000 };
    const before = JSON.stringify({ id, type: 'sync', etat: 'Reussie', traites: 15_001, total: 15_001 });
    expect(answer.text).toBe(
      `${before.slice(0, -1)},"resultat":${expected.text},"effets":${JSON.stringify(effets)}}`,
    );
    expect(answer.headers.get('mandat-effets')).toBe(expected.headers.get('mandat-effets'));
    const etag = answer.headers.get('etag')!;
    expect((await app.send(tenant, 'GET', path, undefined, { 'If-None-Match': etag })).status).toBe(304);
    const head = await app.send(tenant, 'HEAD', path);
    expect({ status: head.status, etag: head.headers.get('etag') }).toEqual({ status: 200, etag });
    // As the release before stored it.
    await rows(`UPDATE tache SET resultat = (
      SELECT string_agg(CASE WHEN liste IS NOT NULL AND liste = before THEN ',' ELSE '' END || convert_from(octets, 'UTF8'),
        '' ORDER BY place)::json
      FROM (SELECT *, lag(liste) OVER (ORDER BY place) AS before FROM tache_morceau WHERE tenant_id = $1) m)
      WHERE tenant_id = $1`);
    const earlier = await app.send(tenant, 'GET', path);
    expect(earlier.text).toBe(answer.text);
    expect(earlier.headers.get('etag')).not.toBe(etag);
  });

  it('a long result is read in parts of at most 1 MiB; the connection breaks if the task is removed meanwhile', async () => {
    const { id } = (await submit(bad, '?simulation=true')).json;
    await worker();
    await until(id, over);
    const sizes = await rows('SELECT octet_length(octets) AS bytes FROM tache_morceau WHERE tenant_id = $1');
    expect(sizes.length).toBeGreaterThan(8);
    expect(Math.max(...sizes.map(({ bytes }) => Number(bytes)))).toBeLessThan(2 ** 20);
    expect(await rows('SELECT resultat FROM tache WHERE tenant_id = $1')).toEqual([{ resultat: null }]);
    await rows('DELETE FROM tache_morceau WHERE tenant_id = $1 AND place = 9');
    await rows('UPDATE tache_morceau SET place = place - 1 WHERE tenant_id = $1 AND place > 9');
    const spy = jest.spyOn(TacheRepository.prototype, 'find').mockImplementationOnce(async () => ({
      ...{
        id,
        type: 'sync',
        etat: 'Reussie',
        traites: 1,
        total: 1,
        resultat: null,
        effets: null,
        erreur: null,
      },
      long: { empreinte: '', morceaux: sizes.length, estEntier: false },
    }));
    await expect(app.send(tenant, 'GET', `/b2b/v2/tache/${id}`)).rejects.toThrow();
    spy.mockRestore();
  });

  it('the tasks with the oldest long results go once their data space has more bytes of them than its budget', async () => {
    const usual = { ...BUDGETS };
    const { text } = await app.send(tenant, 'POST', '/b2b/v2/sync?simulation=true', bad);
    // A short one and those of others do not count.
    const other = await app.tenant();
    await rows(
      `INSERT INTO tache (tenant_id, type, etat, total, simulation, date_fin, octets)
       VALUES ('${other.tenantId}', 'sync', 'Reussie', 1, false, now(), 1000000000) RETURNING $1`,
    );
    Object.assign(BUDGETS, { storedBytes: 2.5 * Buffer.byteLength(text) });
    try {
      const ids: string[] = [(await submit(body(1))).json.id];
      for (let n = 0; n < 4; n++) ids.push((await submit(bad, '?simulation=true')).json.id);
      await worker();
      await until(ids[4]!, over);
      const shown = await Promise.all(ids.map((id) => app.send(tenant, 'GET', `/b2b/v2/tache/${id}`)));
      expect(shown.map(({ status }) => status)).toEqual([200, 404, 404, 200, 200]);
      const [stored] = await rows(
        `SELECT (SELECT sum(octets)::int FROM tache WHERE tenant_id = $1) AS noted,
           (SELECT sum(octet_length(octets))::int FROM tache_morceau WHERE tenant_id = $1) AS bytes`,
      );
      expect(stored!.noted).toBe(stored!.bytes);
      expect(
        (await rows(`SELECT FROM tache WHERE octets = 1000000000 AND $1::uuid IS NOT NULL`)).length,
      ).toBe(1);
    } finally {
      Object.assign(BUDGETS, usual);
    }
  });

  it('404 Tache.NotFound for an unknown task, an invalid GUID and the task of another tenant, with the same body', async () => {
    const { id } = (await submit(body(1))).json;
    const other = await app.tenant();
    for (const [caller, asked] of [
      [tenant, randomUUID()],
      [tenant, 'x'],
      [other, id],
    ] as const) {
      expectProblem(await app.send(caller, 'GET', `/b2b/v2/tache/${asked}`), 404, 'Tache.NotFound');
    }
  });
});
