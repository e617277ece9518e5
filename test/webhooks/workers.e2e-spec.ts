import type { INestApplication } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { Client } from 'pg';
import { JobQueue } from '../../libs/platform/src/jobs/job-queue';
import { Sender } from '../../libs/webhooks/src/application/sender';
import { TestApp } from '../setup/test-app';
import { startWorker, type WorkerOptions } from '../setup/test-worker';
import {
  addEvents,
  brokenChains,
  closeAll,
  countJobs,
  quiet,
  replay,
  rowsOf,
  states,
  tell,
} from './support/deliveries';
import { type Received, Receiver, until } from './support/receiver';
import { register, scene, type Scene } from './support/signed';
import { lockWaits } from '../setup/lock-waits';

/** Longer than any test. */
const NO_TIMEOUT_MS = 300_000;

let app: TestApp;
let receiver: Receiver;
let place: Scene;
const workers: INestApplication[] = [];

beforeEach(async () => {
  app = await TestApp.own('a worker runs');
  receiver = await Receiver.start();
  place = await scene(app);
});
afterEach(async () => {
  // Hanging requests must not delay the end of the test.
  await Promise.all([receiver.stop(), closeAll(workers)]);
  await app.stop();
});

async function work(options?: WorkerOptions): Promise<INestApplication> {
  const worker = await startWorker(app.config, options);
  workers.push(worker);
  return worker;
}

async function endpoint(path: string): Promise<string> {
  return (await register(app, place, receiver.url + path)).id;
}

function idsOf(received: readonly Received[]): string[] {
  return received.map(({ headers }) => headers['webhook-id'] as string);
}

/** Counts the attempts that a worker has ended. */
function countAttempts(worker: INestApplication): { ended: number } {
  const count = { ended: 0 };
  const sender = worker.get(Sender);
  const post = sender.post.bind(sender);
  sender.post = async (...request) => {
    const answer = await post(...request);
    count.ended += 1;
    return answer;
  };
  return count;
}

async function noJobIsLeft(): Promise<void> {
  await until('no job is left', async () => (await countJobs(app.database)) === 0);
}

/** Asserts that each event arrived once and was recorded once, and that no job is left. */
async function expectEachOnce(webhookId: string, path: string, count: number): Promise<void> {
  await quiet(app.database);
  await noJobIsLeft();
  const rows = await rowsOf(app.database, webhookId);
  expect(idsOf(receiver.of(path)).sort()).toEqual(rows.map(({ evenementId }) => evenementId).sort());
  expect(receiver.of(path)).toHaveLength(count);
  const others = rows.filter(
    ({ etat, essais, tentatives }) => etat !== 'Reussie' || essais !== 1 || tentatives.length !== 1,
  );
  expect(others).toEqual([]);
}

describe('Two workers', () => {
  it('share 2,000 deliveries: each is attempted once, and both do some', async () => {
    const id = await endpoint('/all');
    await addEvents(app, place, 2_000);
    expect(await replay(app, place, id)).toBe(2_000);
    const counts = (await Promise.all([work(), work()])).map(countAttempts);
    await expectEachOnce(id, '/all', 2_000);
    expect(counts[0]!.ended + counts[1]!.ended).toBe(2_000);
    expect(Math.min(counts[0]!.ended, counts[1]!.ended)).toBeGreaterThan(100);
  });
});

describe('An endpoint that answers', () => {
  it('is not delayed by one that hangs and one that fails, with 500 deliveries waiting for each', async () => {
    const [hung, failing] = [await endpoint('/hung'), await endpoint('/failing')];
    /** Number of hanging attempts at the arrival of each, including itself. */
    const hanging: number[] = [];
    let open = 0;
    receiver.behaviours.set('/hung', (_request, _response, socket) => {
      hanging.push(++open);
      socket.once('close', () => open--);
    });
    receiver.behaviours.set('/failing', (_request, response) => void response.writeHead(500).end());
    await addEvents(app, place, 500);
    await replay(app, place, hung);
    await replay(app, place, failing);
    const third = await endpoint('/third');
    await tell(
      app,
      place,
      Array.from({ length: 200 }, (_, n) => `{"n":${n}}`),
    );
    await work({ timeoutMs: 1_500 });
    await until('all of the third arrived', () => receiver.of('/third').length === 200);
    const atHung = receiver.of('/hung').length;
    expect(atHung).toBeLessThan(40);
    expect((await states(app.database, hung)).EnAttente).toBe(700);
    await until('all of the third is noted', async () => (await states(app.database, third)).Reussie === 200);
    expect(await states(app.database, third)).toEqual({ Reussie: 200 });
    expect(new Set(idsOf(receiver.of('/third'))).size).toBe(200);
    expect(await brokenChains(app.database)).toEqual([]);

    // It goes on with one attempt at a time; the previous one may not have closed its connection yet.
    await until('three attempts more at the hung one', () => hanging.length >= 19);
    expect(Math.max(...hanging)).toBe(16);
    expect(Math.max(...hanging.slice(16))).toBeLessThanOrEqual(2);
  });

  it.each([
    ['none of which has run out of time yet', NO_TIMEOUT_MS, 40 * 16],
    ['which run out of time again and again', 2_000, 40 * 40],
  ])('is not delayed by 40 that hang at once, %s', async (_which, timeoutMs, mostAttempts) => {
    await addEvents(app, place, 150);
    for (let n = 1; n <= 40; n++) {
      const id = await endpoint(`/hung/${n}`);
      receiver.behaviours.set(`/hung/${n}`, () => undefined);
      await replay(app, place, id);
    }
    const third = await endpoint('/third');
    await replay(app, place, third);
    await work({ timeoutMs });
    // On a busy machine an attempt at the third may run out of time, too, and is repeated.
    await until('all of the third arrived', () => new Set(idsOf(receiver.of('/third'))).size === 150);
    expect(receiver.received.length - receiver.of('/third').length).toBeLessThanOrEqual(mostAttempts);
    expect((await states(app.database)).EnAttente).toBeGreaterThanOrEqual(40 * 150);
    await until('all of the third is noted', async () => (await states(app.database, third)).Reussie === 150);
    expect(await brokenChains(app.database)).toEqual([]);
  });
});

describe('Deliveries that wait behind a slow receiver', () => {
  const SLOW_MS = 1_500;

  it.each([
    ['are sent to the new address after a change of the endpoint', 'PUT', { Reussie: 100 }],
    [
      'are not sent any more after the endpoint was deactivated',
      'PUT inactive',
      { Annulee: 84, Reussie: 16 },
    ],
    ['are not sent any more after the endpoint was deleted', 'DELETE', {}],
  ])('%s', async (_what, change, expected) => {
    const id = await endpoint('/slow');
    receiver.behaviours.set('/slow', (_request, response) => {
      setTimeout(() => response.writeHead(204).end(), SLOW_MS);
    });
    await addEvents(app, place, 100);
    await replay(app, place, id);
    await work();
    await until('sixteen are at work', () => receiver.of('/slow').length === 16);
    const types = ['adhesion.signee', 'adhesion.supprimee', 'conciliation.demandee', 'sync.terminee'];
    const body = { url: `${receiver.url}/moved`, types, actif: change !== 'PUT inactive' };
    const method = change === 'DELETE' ? 'DELETE' : 'PUT';
    const changed = await app.send(
      place.tenant,
      method,
      `/b2b/v2/webhook/${id}`,
      method === 'PUT' ? body : undefined,
    );
    expect(changed.status).toBe(method === 'PUT' ? 200 : 204);
    await until('all is over', async () => ((await states(app.database)).EnAttente ?? 0) === 0);
    expect(receiver.of('/slow')).toHaveLength(16);
    expect(await states(app.database)).toEqual(expected);
  });
});

describe('A worker that stops in order', () => {
  it('sends no request afterwards, has recorded all it sent, and leaves the rest to another one', async () => {
    const id = await endpoint('/all');
    receiver.behaviours.set('/all', (_request, response) => {
      setTimeout(() => response.writeHead(204).end(), 10);
    });
    await addEvents(app, place, 2_000);
    await replay(app, place, id);
    const first = await work();
    await until('a part arrived', () => receiver.received.length >= 500);
    await first.close();
    const sent = receiver.received.length;
    expect(sent).toBeLessThan(2_000);
    expect(await states(app.database)).toEqual({ Reussie: sent, EnAttente: 2_000 - sent });
    const rows = await rowsOf(app.database, id);
    expect(rows.flatMap(({ tentatives, evenementId }) => tentatives.map(() => evenementId)).sort()).toEqual(
      idsOf(receiver.received).sort(),
    );
    // All remaining jobs are free at once: none waits for an expired heartbeat.
    const { rows: jobs } = await app.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pgboss.job
       WHERE name = 'livraison' AND state IN ('created', 'retry') AND start_after <= now()`,
    );
    expect(jobs[0]!.count).toBe(2_000 - sent);
    expect(await brokenChains(app.database)).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(receiver.received).toHaveLength(sent);

    await work();
    await expectEachOnce(id, '/all', 2_000);
  });
});

describe('A worker whose database connections are cut', () => {
  it('goes on and loses no event; repeated requests have the same id', async () => {
    const id = await endpoint('/all');
    await addEvents(app, place, 2_000);
    await replay(app, place, id);
    await work();
    let cut = 0;
    for (const mark of [100, 400, 700, 1_000, 1_300, 1_600, 1_900]) {
      await until(`${mark} arrived`, () => receiver.received.length >= mark);
      const { rowCount } = await app.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name IN ('mandat worker', 'mandat queue')`,
      );
      cut += rowCount!;
    }
    expect(cut).toBeGreaterThan(7);
    await until('all is delivered', async () => (await states(app.database)).Reussie === 2_000, 90_000);
    await noJobIsLeft();
    const rows = await rowsOf(app.database, id);
    expect([...new Set(idsOf(receiver.received))].sort()).toEqual(
      rows.map(({ evenementId }) => evenementId).sort(),
    );
    // Bodies identify events: no event came with two ids.
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(2_000);
    expect(rows.every(({ tentatives, essais }) => tentatives.length === 1 && essais === 1)).toBe(true);
    // Only leased deliveries without a record were sent again after a cut.
    expect(receiver.received.length).toBeLessThan(2_000 + 7 * 512);
  }, 120_000);
});

describe('An earlier generation of a job', () => {
  /** Responses that the receiver has not sent yet, in the order of the requests. */
  const unanswered: ServerResponse[] = [];
  let saboteur: Client;

  beforeEach(async () => {
    unanswered.length = 0;
    receiver.behaviours.set('/held', (_request, response) => void unanswered.push(response));
    saboteur = await app.connect();
  });
  afterEach(() => saboteur.end());

  async function held(count: number): Promise<void> {
    await until(`${count} requests are held`, () => unanswered.length === count);
  }

  /** Makes the jobs look as if no worker had taken them. */
  async function free(): Promise<void> {
    await app.database.query(
      `UPDATE pgboss.job SET state = 'created', started_on = NULL, heartbeat_on = NULL WHERE name = 'livraison'`,
    );
  }

  /** Asserts that no job is running, and that exactly the waiting deliveries have one. */
  async function expectOneChain(webhookId: string): Promise<void> {
    await quiet(app.database);
    const { EnAttente = 0 } = await states(app.database, webhookId);
    expect(await countJobs(app.database)).toBe(EnAttente);
    expect(await brokenChains(app.database)).toEqual([]);
  }

  it.each([
    [500, 500, 'EnAttente'],
    [204, 500, 'Reussie'],
    [500, 204, 'EnAttente'],
    [204, 204, 'Reussie'],
  ])(
    'is rejected: two workers with one delivery that get %i and %i leave one chain of jobs',
    async (first, second, etat) => {
      const id = await endpoint('/held');
      const one = await work({ timeoutMs: NO_TIMEOUT_MS });
      await tell(app, place, ['{}']);
      await held(1);
      // The first worker takes no more jobs, so the second takes the job that the first has leased.
      one.get(JobQueue).take = async () => [];
      await free();
      await work({ timeoutMs: NO_TIMEOUT_MS });
      await held(2);
      expect(new Set(idsOf(receiver.received)).size).toBe(1);

      unanswered[0]!.writeHead(first).end();
      await until('the first answer is noted', async () => (await rowsOf(app.database))[0]!.tour === 1);
      unanswered[1]!.writeHead(second).end();
      await expectOneChain(id);
      expect(await rowsOf(app.database)).toMatchObject([
        { etat, essais: 1, tour: 1, tentatives: [{ statut: first }] },
      ]);
    },
  );

  /** Ends attempts one after the other while the database blocks the record of another: they form one batch. */
  async function endTogether(answers: [ServerResponse, number][]): Promise<void> {
    const blocker = await endpoint('/blocker');
    receiver.behaviours.set('/blocker', (_request, response) => void unanswered.push(response));
    const before = unanswered.length;
    const test = await app.send(place.tenant, 'POST', `/b2b/v2/webhook/${blocker}/test`);
    await held(before + 1);
    await saboteur.query('BEGIN');
    await saboteur.query('SELECT FROM livraison WHERE id_unique = $1 FOR UPDATE', [test.json.id]);
    unanswered[before]!.writeHead(204).end();
    await lockWaits(app.database);
    for (const [response, status] of answers) {
      response.writeHead(status).end();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await saboteur.query('ROLLBACK');
  }

  const ANSWERS = [
    ['an endpoint that worked', 500, 204],
    ['an endpoint that worked', 204, 500],
    ['an endpoint that failed before', 500, 204],
    ['an endpoint that failed before', 204, 500],
  ] as const;

  /**
   * Registers an endpoint `/held`. After an earlier failure, the worker records the ends of its deliveries differently.
   */
  async function endpointOf(past: (typeof ANSWERS)[number][0]): Promise<string> {
    const id = await endpoint('/held');
    if (past === 'an endpoint that failed before')
      await app.database.query(
        'UPDATE webhook SET echec_depuis = now(), dernier_echec = now() WHERE id_unique = $1',
        [id],
      );
    return id;
  }

  it.each(ANSWERS)(
    'is rejected if its end is recorded with that of the next: %s, sent again, %i, then the old one, %i',
    async (past, present, old) => {
      const id = await endpointOf(past);
      await work({ timeoutMs: NO_TIMEOUT_MS });
      await tell(app, place, ['{}']);
      await held(1);
      const livraisonId = (await rowsOf(app.database))[0]!.id;
      const again = await app.send(
        place.tenant,
        'POST',
        `/b2b/v2/webhook/${id}/livraisons/${livraisonId}/renvoyer`,
      );
      expect(again.status).toBe(202);
      await held(2);
      await endTogether([
        [unanswered[1]!, present],
        [unanswered[0]!, old],
      ]);
      await expectOneChain(id);
      expect(await rowsOf(app.database, id)).toMatchObject([
        { etat: present === 204 ? 'Reussie' : 'EnAttente', tentatives: [{ statut: present }] },
      ]);
    },
  );

  it.each(ANSWERS)(
    'is rejected if one worker leased it twice and records both ends together: %s, %i, %i',
    async (past, first, second) => {
      const id = await endpointOf(past);
      await work({ timeoutMs: NO_TIMEOUT_MS });
      await tell(app, place, ['{}']);
      await held(1);
      await free();
      await held(2);
      await endTogether([
        [unanswered[0]!, first],
        [unanswered[1]!, second],
      ]);
      await expectOneChain(id);
      const [row] = await rowsOf(app.database, id);
      expect(row).toMatchObject({ essais: 1, tour: 1 });
      expect(row!.etat === 'Reussie').toBe(row!.tentatives[0]!.statut === 204);
    },
  );
});
