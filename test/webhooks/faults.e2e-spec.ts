import type { INestApplication } from '@nestjs/common';
import { ATTEMPTS, DELAYS_S, JITTER, parseRetryAfter } from '../../libs/webhooks/src/domain/retry-schedule';
import { depth, SEED } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import {
  addEvents,
  brokenChains,
  countJobs,
  quiet,
  replay,
  type Row,
  rowsOf,
  states,
  tell,
} from './support/deliveries';
import { type Act, Fickle } from './support/fickle';
import { Receiver, until } from './support/receiver';
import { ShiftedClock } from './support/shifted-clock';
import { register, scene, type Scene } from './support/signed';

const EVENTS = depth(120, 2_000);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let app: TestApp;
let receiver: Receiver;
/** The target of redirects: it must get no connection. */
let canary: Receiver;
let worker: INestApplication;
let place: Scene;
let clock: ShiftedClock;

/** Each group of tests has its own database and clock. */
function start(): void {
  beforeAll(async () => {
    app = await TestApp.own('a worker runs');
    clock = await ShiftedClock.install(app.database);
    receiver = await Receiver.start();
    canary = await Receiver.start();
    worker = await startWorker(app.config, { clock, timeoutMs: 1_500 });
    place = await scene(app);
  });
  afterAll(async () => {
    await Promise.all([receiver.stop(), canary.stop(), worker.close()]);
    await app.stop();
  });
}

async function endpoint(path: string): Promise<string> {
  return (await register(app, place, receiver.url + path)).id;
}

interface Health {
  actif: boolean;
  desactiveLe: string | null;
  raisonDesactivation: string | null;
}

async function health(id: string): Promise<Health> {
  const { json } = await app.send(place.tenant, 'GET', `/b2b/v2/webhook/${id}`);
  const { actif, desactiveLe, raisonDesactivation } = json;
  return { actif, desactiveLe, raisonDesactivation };
}

async function pending(): Promise<Row[]> {
  return rowsOf(app.database, undefined, 'EnAttente');
}

/**
 * Moves the clock to the next due deliveries and those due soon after.
 *
 * @returns false if none waits
 */
async function toNextDue(): Promise<boolean> {
  const dues = (await pending()).map(({ prochaine }) => prochaine!.getTime());
  if (dues.length === 0) return false;
  const first = Math.min(...dues);
  const now = clock.now().getTime();
  // A share of the elapsed time, because otherwise each straggler would take its own step.
  const soon = first + Math.max(20_000, 0.2 * (first - now), 0.05 * (now - Date.now()));
  await clock.moveTo(new Date(Math.max(...dues.filter((due) => due <= soon))));
  return true;
}

/** Returns the end of an attempt in the log, in ms. */
function endOf({ date, dureeMs }: { date: string; dureeMs: number }): number {
  return Date.parse(date) + dureeMs;
}

/** Returns the earliest and latest time (ms) of the attempt after a failure, given the receiver's response. */
function bounds(row: Row, failed: number, { retryAfter, at }: Act): [number, number] {
  const tentative = row.tentatives[failed - 1]!;
  const delay = DELAYS_S[failed - 1]! * 1_000;
  const asked = Math.min((parseRetryAfter(retryAfter, new Date(at)) ?? 0) * 1_000, DAY_MS);
  return [
    Math.max(Date.parse(tentative.date) + delay, at + asked),
    // The log does not show the time between the end of an attempt and its record.
    endOf(tentative) + Math.max(delay * (1 + JITTER), asked) + 1_000,
  ];
}

describe('Endpoints that fail in every way', () => {
  start();

  const PATHS = ['/1', '/2', '/3', '/4', '/gone'];
  let fickle: Fickle;
  let ids: Map<string, string>;

  /**
   * Returns what the receiver did at each attempt of the log. On a busy machine an attempt can time out: its response
   * was lost, or its request arrived late or not at all; the next attempt is 5 s away.
   */
  function actsOf({ webhookId, evenementId, tentatives }: Row): Act[] {
    const acts = [...(fickle.acts.get(ids.get(webhookId)!)!.get(evenementId) ?? [])];
    const aligned = tentatives.flatMap((tentative): Act[] => {
      if (!tentative.reponse.startsWith('No answer within')) return acts.splice(0, 1);
      const end = endOf(tentative);
      if (acts[0] && acts[0].at <= end + 3_000) acts.shift();
      return [{ statut: null, at: Date.parse(tentative.date) }];
    });
    return [...aligned, ...acts];
  }

  /** Asserts that each waiting delivery is due within the bounds of the schedule and the receiver's response. */
  async function checkDues(): Promise<void> {
    const wrong: object[] = [];
    for (const row of await pending()) {
      if (row.essais === 0) continue;
      const due = row.prochaine!.getTime();
      const [earliest, latest] = bounds(row, row.essais, actsOf(row)[row.essais - 1]!);
      if (due < earliest || due > latest) wrong.push({ ...row, earliest, latest });
    }
    expect(wrong).toEqual([]);
  }

  it(`lose none of ${EVENTS} events each, keep the schedule, and have one job for each waiting delivery`, async () => {
    fickle = new Fickle(receiver, clock, SEED, canary.url);
    ids = new Map();
    for (const path of PATHS) {
      fickle.endpoint(path, path === '/gone' ? EVENTS / 2 : Infinity);
      ids.set(await endpoint(path), path);
    }
    await addEvents(app, place, EVENTS);
    for (const id of ids.keys()) expect(await replay(app, place, id)).toBe(EVENTS);

    // Watches also while deliveries run.
    let isOver = false;
    const broken: object[] = [];
    const watch = (async () => {
      while (!isOver) {
        broken.push(...(await brokenChains(app.database)));
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    })();
    try {
      do {
        await quiet(app.database, 120_000);
        await checkDues();
        broken.push(...(await brokenChains(app.database)));
      } while (broken.length === 0 && (await toNextDue()));
    } finally {
      isOver = true;
      await watch;
    }
    expect(broken).toEqual([]);
    expect(await countJobs(app.database)).toBe(0);
    expect(canary.connections).toBe(0);

    const rows = await rowsOf(app.database);
    expect(rows).toHaveLength(PATHS.length * EVENTS);
    const wrong = rows.filter((row) => !isSound(row, actsOf(row)));
    expect(wrong).toEqual([]);
    // Ten attempts were not enough for the poisoned events at each endpoint that still exists.
    const failed = rows.filter(({ etat }) => etat === 'Echouee');
    expect(failed.length).toBeGreaterThanOrEqual((4 * EVENTS) / 100);
  }, 240_000);

  /** The log shows the receiver's responses in order and at their times, and the state follows from them. */
  function isSound(row: Row, acts: readonly Act[]): boolean {
    const { etat, tentatives, essais } = row;
    const isAccepted = (statut: number | null): boolean => statut === 204 || statut === 200;
    const last = acts.at(-1)?.statut ?? null;
    return (
      essais === acts.length &&
      JSON.stringify(tentatives.map(({ statut }) => statut)) ===
        JSON.stringify(acts.map(({ statut }) => statut)) &&
      tentatives.every(({ reponse }) => reponse.length <= 1_024) &&
      tentatives.slice(1).every(({ date }, n) => Date.parse(date) >= bounds(row, n + 1, acts[n]!)[0]) &&
      acts.slice(0, -1).every(({ statut }) => !isAccepted(statut)) &&
      (etat === 'Reussie') === isAccepted(last) &&
      (etat !== 'Echouee' || acts.length === ATTEMPTS) &&
      (etat !== 'Annulee' || ids.get(row.webhookId) === '/gone') &&
      etat !== 'EnAttente'
    );
  }

  it('are disabled after a 410: waiting deliveries are cancelled, and no event is sent any more', async () => {
    const [id] = [...ids].find(([, path]) => path === '/gone')!;
    const { rows: hooks } = await app.database.query<{ actif: boolean; at: Date; reason: string }>(
      'SELECT actif, desactive_le AS at, raison_desactivation AS reason FROM webhook ORDER BY id_unique = $1',
      [id],
    );
    expect(hooks.map(({ actif, reason }) => [actif, reason])).toEqual([
      ...PATHS.slice(1).map(() => [true, null]),
      [false, 'The receiver answered 410 Gone.'],
    ]);
    expect(hooks.at(-1)!.at.getTime()).toBeGreaterThanOrEqual(fickle.goneAt.get('/gone')!);
    const { Annulee, Reussie, Echouee = 0 } = await states(app.database, id);
    expect(Annulee! + Reussie! + Echouee).toBe(EVENTS);
    expect(Echouee).toBe(0);
    expect(Annulee).toBeGreaterThan(EVENTS / 4);

    const before = receiver.of('/gone').length;
    await tell(app, place, ['{"n":0}']);
    await quiet(app.database);
    expect(receiver.of('/gone')).toHaveLength(before);
    expect(await rowsOf(app.database, id)).toHaveLength(EVENTS);
  });
});

describe('Five days of failure', () => {
  start();

  /** Moves from due time to due time until the given time. */
  async function workUntil(end: number): Promise<void> {
    for (;;) {
      await quiet(app.database);
      const dues = (await pending()).map(({ prochaine }) => prochaine!.getTime());
      if (dues.length === 0 || Math.min(...dues) >= end) break;
      await clock.moveTo(new Date(Math.min(...dues)));
    }
    await clock.moveTo(new Date(end));
    await quiet(app.database);
  }

  /** Sends one more event and waits for its first attempt. */
  async function attempt(path: string): Promise<void> {
    const before = receiver.of(path).length;
    await tell(app, place, ['{"n":0}']);
    await until('an attempt more', () => receiver.of(path).length === before + 1);
    await quiet(app.database);
  }

  it('five days disable an endpoint, and less does not; waiting deliveries are cancelled', async () => {
    const id = await endpoint('/down');
    receiver.behaviours.set('/down', (_request, response) => void response.writeHead(503).end());
    await attempt('/down');
    const [first] = await rowsOf(app.database, id);
    const since = Date.parse(first!.tentatives[0]!.date);
    await workUntil(since + 5 * DAY_MS - HOUR_MS);
    expect(await states(app.database, id)).toEqual({ Echouee: 1 });
    await attempt('/down');
    await attempt('/down');
    await workUntil(since + 5 * DAY_MS - 60_000);
    expect(await health(id)).toEqual({ actif: true, desactiveLe: null, raisonDesactivation: null });
    const before = receiver.of('/down').length;

    await workUntil(since + 8 * DAY_MS);
    const { actif, desactiveLe, raisonDesactivation } = await health(id);
    expect({ actif, raisonDesactivation }).toEqual({
      actif: false,
      raisonDesactivation: 'No attempt has succeeded for five days.',
    });
    expect(Date.parse(desactiveLe!)).toBeGreaterThanOrEqual(since + 5 * DAY_MS);
    expect(await states(app.database, id)).toEqual({ Echouee: 1, Annulee: 2 });
    // The last attempt before the endpoint was disabled, and the other one only if it was running then.
    expect(receiver.of('/down').length - before).toBeGreaterThanOrEqual(1);
    expect(receiver.of('/down').length - before).toBeLessThanOrEqual(2);
    expect(await countJobs(app.database)).toBe(0);

    // A disabled endpoint gets no events any more.
    await tell(app, place, ['{"n":0}']);
    expect(await rowsOf(app.database, id)).toHaveLength(3);
  });

  it('the five days restart after one success', async () => {
    const id = await endpoint('/up');
    let status = 503;
    receiver.behaviours.set('/up', (_request, response) => void response.writeHead(status).end());
    await attempt('/up');
    const since = clock.now().getTime();
    await workUntil(since + 4 * DAY_MS);
    status = 204;
    await attempt('/up');
    status = 503;
    await workUntil(since + 4.5 * DAY_MS);
    await attempt('/up');
    const again = clock.now().getTime();
    await workUntil(since + 5 * DAY_MS + HOUR_MS);
    await attempt('/up');
    expect(await health(id)).toEqual({ actif: true, desactiveLe: null, raisonDesactivation: null });
    await workUntil(again + 5 * DAY_MS - HOUR_MS);
    expect((await health(id)).actif).toBe(true);
    // The control: five days from there disable it.
    await workUntil(again + 5 * DAY_MS + HOUR_MS);
    await attempt('/up');
    // The endpoint is disabled after the attempt itself.
    await until('the endpoint is disabled', async () => !(await health(id)).actif);
  });
});

describe('The checks of this file', () => {
  start();

  it('find a delivery without a job and a delivery with two', async () => {
    await endpoint('/checked');
    receiver.behaviours.set('/checked', (_request, response) => void response.writeHead(500).end());
    await tell(app, place, ['{"n":1}']);
    await until('it failed', async () => (await pending())[0]?.essais === 1);
    await quiet(app.database);
    expect(await brokenChains(app.database)).toEqual([]);
    await app.database.query(
      `INSERT INTO pgboss.job (name, data, start_after, policy)
       SELECT name, data, start_after, policy FROM pgboss.job WHERE name = 'livraison'`,
    );
    expect(await brokenChains(app.database)).toMatchObject([{ jobs: 2 }]);
    await app.database.query(`DELETE FROM pgboss.job WHERE name = 'livraison'`);
    expect(await brokenChains(app.database)).toMatchObject([{ jobs: 0 }]);
  });
});
