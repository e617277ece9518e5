import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { cloneTemplate } from '../setup/test-app';
import { until } from '../webhooks/support/receiver';
import { WHOLE } from './support/effort';
import { Fleet, type FleetSpace } from './support/fleet';
import { MemoryWatch } from './support/process-memory';
import { report } from './support/report';
import { percentile, requestText, run, type Steady, sumOf, typical, wrongOf } from './support/steady';

const FAULT = 'answers of 54 MB and HTML of 33,333 tags';

const PER_SECOND = 20;
const SECONDS = WHOLE ? 10 : 6;
const PAIRS = WHOLE ? 5 : 1;
/** Bad records of the sync: its result has 54 MB. */
const RECORDS = 250_000;
/** Characters of each identifier. */
const ID_LENGTH = 175;
/** Heap of a container of 1 GiB, and the option of the Dockerfile, in MB. */
const HEAP = '--max-old-space-size=512 --max-semi-space-size=16';
/** The memory of such a container, divided by 1.5. */
const MOST_MIB = 683;
/** How much longer the victim's p99 may be: 25 % or 10 ms in a whole trial; short trials share their machine. */
const p99Limit = (quiet: number): number => (WHOLE ? Math.max(quiet * 1.25, quiet + 10) : quiet + 5_000);

/** An API with a victim, and an attacker that has the largest result of a task. */
class Scene {
  private constructor(
    readonly fleet: Fleet,
    private readonly url: string,
    private readonly database: Client,
    private readonly victim: FleetSpace,
    readonly attackers: readonly [FleetSpace, FleetSpace],
    readonly task: string,
    readonly answerBytes: number,
    readonly workerMiB: number,
  ) {}

  static async make(): Promise<Scene> {
    const databaseUrl = await cloneTemplate();
    const fleet = await Fleet.start(databaseUrl, { workers: 1, env: { NODE_OPTIONS: HEAP } });
    const database = new Client({ connectionString: databaseUrl });
    await database.connect();
    const url = await fleet.apis[0]!.url();
    const victim = await fleet.space();
    // Each attack has a data space of its own, because each uses up its budget of database time.
    const attackers = [await fleet.space(), await fleet.space()] as const;
    const [attacker] = attackers;
    await fleet.asker(() => url, victim.partner)('POST', '/b2b/v1/employe', {
      ...{ idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' },
    });
    const worker = new MemoryWatch((await fleet.workers[0]!.running()).process.pid!, database);
    const task = await badSync(fleet, url, attacker);
    await worker.end();
    const { text } = await fleet.send(url, attacker.partner, 'GET', task);
    const bytes = Buffer.byteLength(text);
    const scene = new Scene(fleet, url, database, victim, attackers, task, bytes, worker.processMiB);
    await scene.work();
    return scene;
  }

  /** The constant load of the victim: reads of one employee. */
  work(): Promise<Steady> {
    const requests = [requestText('GET', '/b2b/v1/employe/E-1', this.victim.partner)];
    return run('load.cjs', {
      ...{ kind: 'steady', port: this.port, requests, perSecond: PER_SECOND, seconds: SECONDS },
    });
  }

  /** Quiet and attacked periods alternate, because other load on the machine must affect both. */
  async compare(attack: object): Promise<Outcome> {
    const [quiet, attacked]: [Steady[], Steady[]] = [[], []];
    const got: Record<string, number> = {};
    const { pid } = (await this.fleet.apis[0]!.running()).process;
    const memory = new MemoryWatch(pid!, this.database);
    for (let pair = 0; pair < PAIRS; pair++) {
      quiet.push(await this.work());
      const attacking = run<Record<string, number>>('attacks.cjs', {
        ...{ port: this.port, seconds: SECONDS + 2, attacks: [attack] },
      });
      await wait(500);
      attacked.push(await this.work());
      for (const [status, often] of Object.entries(await attacking)) got[status] = (got[status] ?? 0) + often;
      await this.idle();
    }
    await memory.end();
    const [before, during] = [quiet, attacked].map((loads) => typical(loads, 0.99)) as [number, number];
    return {
      ...{ wrong: wrongOf([...quiet, ...attacked]), got, before, during },
      longestMs: percentile(
        attacked.flatMap(({ latencies }) => latencies),
        0.9999,
      ),
      ...{ processMiB: memory.processMiB, backendMiB: memory.backendMiB },
    };
  }

  /** Waits until the API has done what the attack left. */
  private async idle(): Promise<void> {
    for (let quick = 0; quick < 5;) {
      const begun = performance.now();
      await this.fleet.send(this.url, this.victim.partner, 'GET', '/b2b/v1/employe/E-1');
      quick = performance.now() - begun < 100 ? quick + 1 : 0;
      await wait(200);
    }
  }

  async end(): Promise<void> {
    await this.database.end();
    await this.fleet.stop();
  }

  private get port(): number {
    return Number(new URL(this.url).port);
  }
}

/** Sends a sync as a task whose records are all rejected. @returns the path of the ended task */
async function badSync(fleet: Fleet, url: string, { partner }: FleetSpace): Promise<string> {
  const Employes = Array.from({ length: RECORDS }, (_, n) => ({
    ...{ IdExterne: `E-${n}-`.padEnd(ID_LENGTH, 'x'), Prenom: 'Z', Nom: 'R', Courriel: 'x' },
  }));
  const headers = { prefer: 'respond-async' };
  const sent = await fleet.send(url, partner, 'POST', '/b2b/v2/sync', { Employes }, headers);
  const path = String(sent.headers.location);
  const ended = async (): Promise<boolean> =>
    (await fleet.send(url, partner, 'GET', path)).text.includes('"etat":"Reussie"');
  await until('the task has ended', ended, 300_000);
  return path;
}

interface Outcome {
  readonly wrong: Readonly<Record<string, number>>;
  readonly got: Readonly<Record<string, number>>;
  /** p99 of the victim in quiet and in attacked periods, in ms. */
  readonly before: number;
  readonly during: number;
  readonly longestMs: number;
  readonly processMiB: number;
  readonly backendMiB: number;
}

/** Attacks by their names. */
const ATTACKS: readonly [name: string, attack: (scene: Scene) => object][] = [
  [
    '32 readers of the result of a task',
    ({ attackers: [{ partner }], task }) => ({
      ...{ kind: 'flood', request: { method: 'GET', path: task, key: partner } },
      ...{ connections: 32 },
    }),
  ],
  [
    '251 campaigns with 33,333 open tags over 32 connections',
    ({ attackers: [, { partner }] }) => ({
      ...{ kind: 'flood', request: { method: 'POST', path: '/b2b/v1/campagnes', key: partner } },
      ...{ tags: 33_333, connections: 32, most: 251 },
    }),
  ],
];

describe('A large answer or much HTML of one client', () => {
  let scene: Scene;
  const lines: string[] = [];
  let wrong = 0;

  beforeAll(async () => {
    scene = await Scene.make();
    lines.push(
      `answer of ${(scene.answerBytes / 1e6).toFixed(1)} MB, made by a worker of ${scene.workerMiB} MiB`,
    );
  }, 600_000);
  afterAll(() => scene.end());

  it.each(ATTACKS)(
    'does not delay others: %s',
    async (name, attack) => {
      const outcome = await scene.compare(attack(scene));
      const { before, during, longestMs, processMiB, backendMiB, got } = outcome;
      lines.push(
        `${name}: p99 ${before.toFixed(1)} → ${during.toFixed(1)} ms, longest ${longestMs.toFixed(0)} ms, API ${processMiB} MiB, ` +
          `backend ${backendMiB} MiB, attacker ${JSON.stringify(got)}`,
      );
      wrong += sumOf(outcome.wrong);
      report(FAULT, {
        trials: `${ATTACKS.length} attacks, each ${PAIRS} × ${SECONDS} s quiet and attacked`,
        checked: `${PER_SECOND} reads/s of a victim`,
        losses: wrong,
        figures: lines.join('; '),
      });
      expect(outcome.wrong).toEqual({});
      expect(processMiB).toBeLessThan(MOST_MIB);
      expect(during).toBeLessThan(p99Limit(before));
    },
    600_000,
  );
});
