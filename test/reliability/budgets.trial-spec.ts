import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { cloneTemplate } from '../setup/test-app';
import { WHOLE } from './support/effort';
import { Fleet, type FleetSpace } from './support/fleet';
import { MemoryWatch } from './support/process-memory';
import { report } from './support/report';
import {
  type OpenVote,
  openVote,
  percentile,
  requestText,
  run,
  type Steady,
  sumOf,
  typical,
  wrongOf,
} from './support/steady';

const WITHOUT_BUDGETS = join(__dirname, 'support/without-budgets.cjs');
const FAULT = 'attacks of one data space on the availability of the others';

const PER_SECOND = 50;
const SECONDS = WHOLE ? 10 : 4;
const PAIRS = WHOLE ? 5 : 1;
const SOAK_MINUTES = 10;
const EMPLOYEES = WHOLE ? 500 : 100;
const VOTERS = WHOLE ? 20_000 : 2_000;
/** Heap limit, because V8 keeps garbage for long on a machine with much memory. */
const HEAP = '--max-old-space-size=256';

/**
 * Memory of a process; in deploy/kubernetes it may have twice as much. Short trials share their machine with others.
 */
const MOST_MIB = WHOLE ? 512 : 640;

/** An API with a working victim and an attacker with much data. */
class Scene {
  private ballot = 0;

  private constructor(
    readonly fleet: Fleet,
    readonly port: number,
    private readonly database: Client,
    private readonly victim: FleetSpace,
    readonly attackers: readonly FleetSpace[],
    private readonly vote: OpenVote,
  ) {}

  static async make(env: Record<string, string> = {}): Promise<Scene> {
    const url = await cloneTemplate();
    const fleet = await Fleet.start(url, { env });
    const database = new Client({ connectionString: url });
    await database.connect();
    const api = await fleet.apis[0]!.url();
    // Attackers have the usual limit of 600 requests a minute.
    const attackers = await Promise.all([fleet.space(600), fleet.space(600), fleet.space(600)]);
    const victim = await fleet.space();
    const tenantOf = async ({ partnerId }: FleetSpace): Promise<string> =>
      (await database.query<{ id: string }>('SELECT tenant_id AS id FROM cle WHERE id = $1', [partnerId]))
        .rows[0]!.id;
    await fill(database, await tenantOf(attackers[0]));
    const sent = fleet.asker(() => api, victim.partner);
    await sent('POST', '/b2b/v1/employe', { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' });
    const vote = await openVote(sent, VOTERS);
    const scene = new Scene(fleet, Number(new URL(api).port), database, victim, attackers, vote);
    await scene.work(2);
    return scene;
  }

  /** The constant load of the victim: reads, a write, a vote, a probe. */
  async work(seconds = SECONDS): Promise<Steady> {
    const { partner, platform } = this.victim;
    const { id, questionId, options, voters } = this.vote;
    const employe = JSON.stringify({ idExterne: 'E-1', prenom: 'Zoe', nom: 'Roy' });
    const requests = Array.from({ length: Math.ceil((PER_SECOND * seconds) / 5) }, () => {
      const body = JSON.stringify({
        VotantId: voters[this.ballot++],
        Reponses: [{ QuestionId: questionId, Options: [options[0]] }],
      });
      return [
        requestText('GET', '/b2b/v1/employe/E-1', partner),
        requestText('GET', '/b2b/v1/employe?limite=20', partner),
        requestText('PUT', '/b2b/v1/employe', partner, employe),
        requestText('POST', `/plateforme/v1/campagnes/${id}/bulletins`, platform, body),
        requestText('GET', '/health/ready'),
      ];
    }).flat();
    return run('load.cjs', { kind: 'steady', port: this.port, requests, perSecond: PER_SECOND, seconds });
  }

  async watch(): Promise<MemoryWatch> {
    const { pid } = (await this.fleet.apis[0]!.running()).process;
    return new MemoryWatch(pid!, this.database);
  }

  async end(): Promise<void> {
    await this.database.end();
    await this.fleet.stop();
  }
}

/** Employees with 1,000 employments each, and a list of 100,000 employers. */
async function fill(database: Client, tenantId: string): Promise<void> {
  await database.query(
    `INSERT INTO employeur (tenant_id, id_externe, nom) SELECT $1, 'EMP-' || n, repeat('x', 100) FROM generate_series(1, 100000) n`,
    [tenantId],
  );
  await database.query(
    `INSERT INTO employe (tenant_id, id_externe, prenom, nom, a_emplois)
     SELECT $1, 'E-' || n, 'Zoé', 'Roy', true FROM generate_series(1, $2::int) n`,
    [tenantId, EMPLOYEES],
  );
  await database.query(
    `INSERT INTO emploi (tenant_id, id_externe_employe, identifiant_externe, identifiant_externe_employeur, date_debut)
     SELECT $1, 'E-' || n, 'J-' || m, 'EMP-1', '2026-01-01Z'
     FROM generate_series(1, $2::int) n, generate_series(1, 1000) m`,
    [tenantId, EMPLOYEES],
  );
  await database.query('ANALYZE');
}

const MEGABYTE = 2 ** 20;

/** Attacks by their names. */
const ATTACKS_OF: readonly [name: string, attacks: (attackers: readonly FleetSpace[]) => object][] = [
  [
    'employees with 1,000 employments each, 8 lists at once',
    ([one]) => ({ kind: 'flood', request: get('/b2b/v2/employe', one!), connections: 8, most: 100 }),
  ],
  [
    '300 slow readers of a list of 100,000',
    ([one]) => ({ kind: 'slowReaders', request: get('/b2b/v1/employeur', one!), connections: 300 }),
  ],
  [
    'three data spaces that announce a sync of 64 MB and send a byte every 2 s',
    (attackers) => ({
      ...{ kind: 'slowSenders', announced: 64 * MEGABYTE, everyMs: 2_000, connections: 3 },
      requests: attackers.map((one) => post('/b2b/v1/employe/sync', one)),
    }),
  ],
  [
    '100 lists at once',
    ([one]) => ({ kind: 'flood', request: get('/b2b/v1/employeur', one!), connections: 100, most: 100 }),
  ],
  [
    '590 bodies of 1 MB that arrive slowly',
    ([one]) => ({
      ...{ kind: 'slowSenders', requests: [post('/b2b/v1/employe', one!)], announced: MEGABYTE },
      ...{ begin: MEGABYTE - 1_000, everyMs: 2_000, connections: 590 },
    }),
  ],
  [
    'bodies of 1 MB with 90,000 unknown properties over 8 connections',
    ([, other]) => ({
      ...{ kind: 'flood', request: post('/b2b/v1/employe', other!) },
      ...{ properties: 90_000, connections: 8, most: 500 },
    }),
  ],
  [
    'documents without a key over 30 connections',
    () => ({ kind: 'flood', request: { method: 'GET', path: '/docs/openapi.yaml' }, connections: 30 }),
  ],
];

const get = (path: string, { partner }: FleetSpace): object => ({ method: 'GET', path, key: partner });
const post = (path: string, { partner }: FleetSpace): object => ({ method: 'POST', path, key: partner });

interface Outcome {
  readonly wrong: Readonly<Record<string, number>>;
  readonly got: Readonly<Record<string, number>>;
  readonly processMiB: number;
  readonly backendMiB: number;
  readonly growth: string;
}

/** Quiet and attacked periods alternate, because other load on the machine must affect both. */
async function compare(scene: Scene, attack: object, pairs = PAIRS): Promise<Outcome> {
  const [quiet, attacked]: [Steady[], Steady[]] = [[], []];
  const got: Record<string, number> = {};
  const memory = await scene.watch();
  for (let pair = 0; pair < pairs; pair++) {
    quiet.push(await scene.work());
    const attacking = run<Record<string, number>>('attacks.cjs', {
      ...{ port: scene.port, seconds: SECONDS + 2, attacks: [attack] },
    });
    await wait(1_000);
    attacked.push(await scene.work());
    for (const [what, often] of Object.entries(await attacking)) got[what] = (got[what] ?? 0) + often;
    // Waits for the end of the attackers' minute and their last requests.
    await wait(1_000);
  }
  await memory.end();
  const { processMiB, backendMiB } = memory;
  return {
    wrong: wrongOf([...quiet, ...attacked]),
    got,
    processMiB,
    backendMiB,
    growth: growthOf(quiet, attacked),
  };
}

function growthOf(quiet: readonly Steady[], attacked: readonly Steady[]): string {
  const longest = Math.max(...attacked.flatMap(({ latencies }) => latencies));
  const [before, during] = [quiet, attacked].map((loads) => typical(loads, 0.99).toFixed(1));
  return `p99 ${before} → ${during} ms, longest ${longest.toFixed(0)} ms`;
}

const tell = (name: string, { growth, processMiB, backendMiB, got, wrong }: Outcome): string =>
  `${name}: ${growth}, API ${processMiB} MiB, backend ${backendMiB} MiB, attacker ${JSON.stringify(got)}` +
  (Object.keys(wrong).length > 0 ? `, victim ${JSON.stringify(wrong)}` : '');

describe('An attack of one data space', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.make({ NODE_OPTIONS: HEAP });
  }, 300_000);
  afterAll(() => scene.end());

  const lines: string[] = [];
  let wrong = 0;

  it.each(ATTACKS_OF)(
    'other data spaces are still served: %s',
    async (name, attack) => {
      const outcome = await compare(scene, attack(scene.attackers));
      lines.push(tell(name, outcome));
      wrong += sumOf(outcome.wrong);
      report(FAULT, {
        trials: `${lines.length} attacks, each ${PAIRS} × ${SECONDS} s quiet and attacked`,
        checked: `${PER_SECOND} requests/s of a victim: reads, writes, votes, probes`,
        losses: wrong,
        figures: lines.join('; '),
      });
      expect(outcome.wrong).toEqual({});
      expect(outcome.processMiB).toBeLessThan(MOST_MIB);
      expect(outcome.backendMiB).toBeLessThan(64);
    },
    900_000,
  );

  (WHOLE ? it : it.skip)(
    'other data spaces are still served during ten minutes of all attacks',
    async () => {
      const { fleet } = scene;
      const before = (await fleet.apis[0]!.running()).process.pid;
      const memory = await scene.watch();
      const served: Steady[] = [];
      const attacks = ATTACKS_OF.map(([, attack]) => attack(scene.attackers));
      for (let minute = 0; minute < SOAK_MINUTES; minute++) {
        const attacking = run('attacks.cjs', { port: scene.port, seconds: 55, attacks });
        for (let at = 0; at < 55; at += SECONDS) served.push(await scene.work());
        await attacking;
      }
      await memory.end();
      const { processMiB, backendMiB } = memory;
      const latencies = served.flatMap((one) => one.latencies);
      lines.push(
        `all for ${SOAK_MINUTES} minutes: p99 ${percentile(latencies, 0.99).toFixed(1)} ms, longest ${Math.max(...latencies).toFixed(0)} ms, API ${processMiB} MiB, backend ${backendMiB} MiB`,
      );
      report(FAULT, { figures: lines.join('; ') });
      const problems = wrongOf(served);
      const after = (await fleet.apis[0]!.running()).process.pid;
      expect({ problems, pid: after }).toEqual({ problems: {}, pid: before });
      expect(backendMiB).toBeLessThan(64);
    },
    900_000,
  );
});

describe('The same attacks without budgets', () => {
  it('slow down or fail the requests of others', async () => {
    const scene = await Scene.make({ NODE_OPTIONS: `${HEAP} --require=${WITHOUT_BUDGETS}` });
    try {
      const outcomes: Outcome[] = [];
      for (const [, attack] of ATTACKS_OF) outcomes.push(await compare(scene, attack(scene.attackers), 1));
      report(FAULT, {
        control: outcomes.map((outcome, index) => tell(ATTACKS_OF[index]![0], outcome)).join('; '),
      });
      expect(Math.max(...outcomes.map(({ processMiB }) => processMiB))).toBeGreaterThan(MOST_MIB);
    } finally {
      await scene.end();
    }
  }, 900_000);
});
