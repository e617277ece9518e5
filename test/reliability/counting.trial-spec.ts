import { join } from 'node:path';
import { Client } from 'pg';
import { cloneTemplate } from '../setup/test-app';
import { until } from '../webhooks/support/receiver';
import { ClosingVotes, LARGEST } from './support/closing-votes';
import { WHOLE } from './support/effort';
import { Fleet, type FleetSpace } from './support/fleet';
import { Prober } from './support/prober';
import { MemoryWatch } from './support/process-memory';
import { report } from './support/report';
import { percentile, requestText, run, type Steady, sumOf, wrongOf } from './support/steady';

const COUNTED_ON_MAIN = join(__dirname, 'support/counted-on-main.cjs');
const FAULT = 'counts of the largest results';

const PER_SECOND = 50;
const SECONDS = 4;
/** Callers that request each result at the same time. */
const CALLERS = WHOLE ? 8 : 3;
/** Heap of a process in MB; a process in deploy/kubernetes may have twice as much. */
const MOST_HEAP_MIB = 512;
/** Longest permitted time of a probe, in ms: its time limit in deploy/kubernetes. The report has the time itself. */
const IN_TIME_MS = 3_000;

interface Outcome {
  readonly wrong: Readonly<Record<string, number>>;
  /** The number of incomplete results. */
  readonly incomplete: readonly string[];
  readonly got: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  readonly probes: number;
  readonly failures: number;
  readonly figures: string;
}

class Scene {
  private constructor(
    private readonly fleet: Fleet,
    private readonly url: string,
    private readonly database: Client,
    private readonly victim: FleetSpace,
    private readonly attackers: readonly { space: FleetSpace; votes: ClosingVotes }[],
  ) {}

  static async make(env: Record<string, string> = {}): Promise<Scene> {
    const databaseUrl = await cloneTemplate();
    const { NODE_OPTIONS = '' } = env;
    const fleet = await Fleet.start(databaseUrl, {
      workers: 1,
      env: { ...env, NODE_OPTIONS: `${NODE_OPTIONS} --max-old-space-size=${MOST_HEAP_MIB}` },
    });
    const database = new Client({ connectionString: databaseUrl });
    await database.connect();
    const url = await fleet.apis[0]!.url();
    const victim = await fleet.space();
    const record = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
    await fleet.send(url, victim.partner, 'POST', '/b2b/v1/employe', record);
    const spaces = [await fleet.space(), await fleet.space()];
    const attackers = spaces.map((space) => ({
      space,
      votes: new ClosingVotes(fleet, url, database, space),
    }));
    // Campaigns of both data spaces alternate, because both must have results to count for some time.
    for (const [index, large] of LARGEST.entries()) await attackers[index % 2]!.votes.open(large);
    await database.query('ANALYZE');
    const scene = new Scene(fleet, url, database, victim, attackers);
    await scene.work();
    return scene;
  }

  /** Closes all votes and requests their results, under load of another data space and with probes. */
  async attack(): Promise<Outcome> {
    const quiet = await this.work();
    const prober = new Prober([...this.fleet.apis, ...this.fleet.workers]);
    const watches = [];
    for (const one of [this.fleet.apis[0]!, this.fleet.workers[0]!])
      watches.push(new MemoryWatch((await one.running()).process.pid!, this.database));
    await prober.begin();
    const begun = performance.now();
    let isOver = false;
    const attacking = this.closeAndAsk().finally(() => (isOver = true));
    const attacked: Steady[] = [];
    do attacked.push(await this.work());
    while (!isOver);
    const got = await attacking;
    await prober.end();
    for (const watch of watches) await watch.end();
    const [api, worker] = watches.map(({ processMiB }) => processMiB);
    const incomplete: string[] = [];
    for (const { votes } of this.attackers) incomplete.push(...(await votes.wrong()));
    const latencies = attacked.flatMap((one) => one.latencies);
    return {
      wrong: wrongOf([quiet, ...attacked]),
      ...{ incomplete, got, slowestMs: prober.slowestLiveMs },
      ...{ probes: prober.count, failures: prober.livenessFailures },
      figures:
        `${((performance.now() - begun) / 1_000).toFixed(0)} s; others' p99 ${p99(quiet.latencies)} → ${p99(latencies)} ms, ` +
        `longest ${Math.max(...latencies).toFixed(0)} ms; slowest probe ${prober.slowestLiveMs} ms; API ${api} MiB, worker ${worker} MiB`,
    };
  }

  async end(): Promise<void> {
    await this.database.end();
    await this.fleet.stop();
  }

  /** Returns the responses by status, after all boxes are sealed. */
  private async closeAndAsk(): Promise<Record<string, number>> {
    await Promise.all(this.attackers.map(({ votes }) => votes.close()));
    const attacks = this.attackers.flatMap(({ space, votes }) =>
      votes.votes.map(({ id }) => ({
        kind: 'flood',
        request: { method: 'GET', path: votes.stats(id), key: space.partner },
        ...{ connections: CALLERS, most: CALLERS },
      })),
    );
    const got = await run<Record<string, number>>('attacks.cjs', {
      ...{ port: Number(new URL(this.url).port), seconds: 300, attacks },
    });
    await until(
      'all boxes are sealed',
      async () => {
        const sealed = await Promise.all(this.attackers.map(({ votes }) => votes.sealed()));
        return sealed[0]! + sealed[1]! === LARGEST.length;
      },
      300_000,
    );
    return got;
  }

  /** Sends reads, a write and a probe of a data space without results to count. */
  private work(): Promise<Steady> {
    const { partner } = this.victim;
    const employe = JSON.stringify({ idExterne: 'E-1', prenom: 'Zoe', nom: 'Roy' });
    const requests = [
      requestText('GET', '/b2b/v1/employe/E-1', partner),
      requestText('GET', '/b2b/v1/employe?limite=20', partner),
      requestText('PUT', '/b2b/v1/employe', partner, employe),
      requestText('GET', '/health/ready'),
    ];
    return run('load.cjs', {
      ...{ kind: 'steady', port: Number(new URL(this.url).port), perSecond: PER_SECOND, seconds: SECONDS },
      requests: Array.from({ length: PER_SECOND * SECONDS }, (_, n) => requests[n % requests.length]),
    });
  }
}

/** The slowest probe while threads counted, in ms. */
let slowestBesideThreadsMs = IN_TIME_MS;

const p99 = (latencies: readonly number[]): string => percentile(latencies, 0.99).toFixed(1);

it('the largest results are counted and sealed while other requests are served', async () => {
  const scene = await Scene.make();
  try {
    const { wrong, incomplete, got, failures, slowestMs, probes, figures } = await scene.attack();
    slowestBesideThreadsMs = slowestMs;
    report(FAULT, {
      trials: `${LARGEST.length} campaigns at the limits, each result requested by ${CALLERS} callers at once`,
      checked: `${probes} probes of API and worker; ${PER_SECOND} requests/s of another data space`,
      losses: sumOf(wrong) + incomplete.length + failures,
      figures,
    });
    expect({ wrong, incomplete, failures }).toEqual({ wrong: {}, incomplete: [], failures: 0 });
    // A client has two large results at once. `wrong` then requested each, and had it whole.
    const { 200: answered = 0, 429: refused = 0 } = got;
    expect(got).toEqual({ 200: answered, ...(refused > 0 && { 429: refused }) });
    expect(answered + refused).toBe(LARGEST.length * CALLERS);
    expect(slowestMs).toBeLessThan(IN_TIME_MS);
  } finally {
    await scene.end();
  }
}, 1_200_000);

it('negative control: counting on the main thread delays probes', async () => {
  const scene = await Scene.make({ NODE_OPTIONS: `--require=${COUNTED_ON_MAIN}` });
  try {
    const { slowestMs, figures } = await scene.attack();
    report(FAULT, { control: figures });
    // A fast machine counts in less than the time limit of a probe, so the control compares with the trial before it.
    expect(slowestMs).toBeGreaterThan(2 * slowestBesideThreadsMs);
  } finally {
    await scene.end();
  }
}, 1_200_000);
