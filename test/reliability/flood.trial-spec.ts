import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { times } from '../membership/synced';
import { cloneTemplate } from '../setup/test-app';
import { WHOLE } from './support/effort';
import { Fleet } from './support/fleet';
import { report } from './support/report';
import { percentile, requestText, run, type Steady, sumOf, typical, wrongOf } from './support/steady';

const NO_FLOOD_DELAY = join(__dirname, 'support/no-flood-delay.cjs');
const FAULT = 'a flood from one key beside 8 other tenants';

const TENANTS = 8;
const PER_SECOND = 100;
const LIMIT = 600;
/** Many short periods, because other load on the machine must affect quiet and flooded periods alike. */
const SECONDS = 4;
const PAIRS = WHOLE ? 11 : 1;

interface Flood {
  readonly statuses: Readonly<Record<string, number>>;
}

/** Returns the processor time of a process, which depends less on other load on the machine than durations do. */
function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  // In ticks; Linux reports 100 a second to every program.
  return (Number(user) + Number(system)) * 10;
}

/** An API with working tenants, and one more tenant whose key floods. */
class Scene {
  private constructor(
    readonly fleet: Fleet,
    private readonly port: number,
    private readonly steady: readonly string[],
    readonly flooder: string,
  ) {}

  static async make(env: Record<string, string> = {}): Promise<Scene> {
    const fleet = await Fleet.start(await cloneTemplate(), { apis: 1, env: { LOG_LEVEL: 'info', ...env } });
    const url = await fleet.apis[0]!.url();
    const steady: string[][] = [];
    for (let tenant = 0; tenant < TENANTS; tenant++) {
      const { partner } = await fleet.space();
      const Employes = times(100, (n) => ({ IdExterne: `E-${n}`, Prenom: 'Zoé', Nom: 'Roy' }));
      await fleet.asker(() => url, partner)('POST', '/b2b/v2/sync', { Employes });
      const read = (n: number): string => requestText('GET', `/b2b/v1/employe/E-${n}`, partner);
      const write = JSON.stringify({ idExterne: `E-${tenant}`, prenom: 'Zoe', nom: 'Roy' });
      steady.push([
        read(1),
        requestText('GET', '/b2b/v1/employe?limite=20', partner),
        read(2),
        requestText('PUT', '/b2b/v1/employe', partner, write),
        read(3),
      ]);
    }
    const mixed = steady[0]!.flatMap((_, n) => steady.map((own) => own[n]!));
    const scene = new Scene(fleet, Number(new URL(url).port), mixed, (await fleet.space(LIMIT)).partner);
    await scene.work(2);
    return scene;
  }

  async work(seconds = SECONDS): Promise<Steady & { cpu: number }> {
    const { pid } = (await this.fleet.apis[0]!.running()).process;
    const [begun, used] = [performance.now(), processorMs(pid!)];
    const plan = { kind: 'steady', port: this.port, requests: this.steady, perSecond: PER_SECOND, seconds };
    const seen = await run<Steady>('load.cjs', plan);
    return { ...seen, cpu: (processorMs(pid!) - used) / (performance.now() - begun) };
  }

  flood(plan: object, seconds: number): Promise<Flood> {
    return run('load.cjs', {
      kind: 'flood',
      port: this.port,
      connections: 64,
      isKept: true,
      seconds,
      ...plan,
    });
  }
}

interface Outcome {
  /** Wrong responses to the others, by status. */
  readonly wrong: Readonly<Record<string, number>>;
  /** Share of a processor that the API used. */
  readonly cpu: readonly [quiet: number, flooded: number];
  /** Responses to the flood a second, by status. */
  readonly answered: Readonly<Record<string, number>>;
  readonly growth: string;
}

/** Waits for the next minute if this one ends in less: a new minute allows the flood its requests again, in the midst of a measurement. */
async function withinOneMinute(seconds: number): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < seconds * 1_000) await wait(left);
}

/** Quiet and flooded periods alternate, because other load on the machine must affect both. */
async function compare(scene: Scene, plan: object, pairs = PAIRS): Promise<Outcome> {
  const [quiet, flooded]: (Steady & { cpu: number })[][] = [[], []] as const;
  const answered: Record<string, number> = {};
  await withinOneMinute(3 + 2 * SECONDS + 3);
  // The first minute of the flood: every key may send its allowed requests at full speed.
  await scene.flood(plan, 3);
  for (let pair = 0; pair < pairs; pair++) {
    quiet.push(await scene.work());
    const flooding = scene.flood(plan, SECONDS + 1.5);
    await wait(1_000);
    flooded.push(await scene.work());
    for (const [status, often] of Object.entries((await flooding).statuses))
      answered[status] = (answered[status] ?? 0) + Math.round(often / pairs / (SECONDS + 1.5));
  }
  return {
    wrong: wrongOf([...quiet, ...flooded]),
    cpu: [cpuOf(quiet), cpuOf(flooded)],
    answered,
    growth: `${growthOf(quiet, flooded, 0.99)}, ${growthOf(quiet, flooded, 0.5)}`,
  };
}

const cpuOf = (loads: readonly { cpu: number }[]): number =>
  percentile(
    loads.map(({ cpu }) => cpu),
    0.5,
  );

function growthOf(quiet: readonly Steady[], flooded: readonly Steady[], part: number): string {
  const [before, during] = [typical(quiet, part), typical(flooded, part)];
  const percent = (during / before - 1) * 100;
  return `p${part * 100} ${before.toFixed(1)} → ${during.toFixed(1)} ms (${percent < 0 ? '' : '+'}${percent.toFixed(0)} %)`;
}

const tell = (name: string, { growth, answered, cpu }: Outcome): string =>
  `${name}: ${growth}, processor ${cpu.map((share) => `${(share * 100).toFixed(0)} %`).join(' → ')}, ${sumOf(answered)} answers/s to the flood`;

const KINDS: readonly [name: string, plan: (key: string) => object][] = [
  ['64 kept connections', (key) => ({ request: requestText('GET', '/b2b/v1/moi', key) })],
  [
    'a connection for each request',
    (key) => ({ request: requestText('GET', '/b2b/v1/moi', key), isKept: false }),
  ],
  [
    'bodies of 1 MB',
    (key) => ({
      request: requestText('POST', '/b2b/v1/employe', key, '', 2 ** 20),
      bodyBytes: 2 ** 20,
    }),
  ],
  ['keys that do not exist', () => ({ request: requestText('GET', '/b2b/v1/moi', 'unknown') })],
];

/** All kinds in the whole trial; the simplest and the most expensive one in the short trial. */
const MADE = KINDS.filter((_, index) => WHOLE || index % 2 === 0);

/** Each kind of flood while refusals are delayed. */
const delayed = new Map<string, Outcome>();

/** Processor time for the flood, as a share of a processor. */
const costOf = ({ cpu: [quiet, flooded] }: Outcome): number => flooded - quiet;

describe('A key that sends at full speed beyond its limit', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.make();
  }, 120_000);
  afterAll(() => scene.fleet.stop());

  const lines: string[] = [];
  let wrong = 0;

  it.each(MADE)(
    'other tenants keep their response times: %s',
    async (name, plan) => {
      const outcome = await compare(scene, plan(scene.flooder));
      lines.push(tell(name, outcome));
      delayed.set(name, outcome);
      wrong += sumOf(outcome.wrong);
      report(FAULT, {
        trials: `${lines.length} kinds of flood, each ${PAIRS} × ${SECONDS} s quiet and flooded; ${PER_SECOND} requests/s of the others`,
        checked:
          'responses to the others; medians of the percentiles of each period, after the first 3 s of the flood',
        losses: wrong,
        figures: lines.join('; '),
      });
      expect(outcome.wrong).toEqual({});
      // The responses of 64 callers that get one response a second, with those at the beginning of a minute.
      expect(sumOf(outcome.answered)).toBeLessThan((LIMIT + 200) / SECONDS + 100);
    },
    600_000,
  );
});

describe('The same flood without a delay of refusals', () => {
  it('takes processor time from the others', async () => {
    const scene = await Scene.make({ NODE_OPTIONS: `--require=${NO_FLOOD_DELAY}` });
    try {
      const lines: string[] = [];
      for (const [name, plan] of MADE) {
        const outcome = await compare(scene, plan(scene.flooder), 1);
        lines.push(tell(name, outcome));
        // Compared with the delayed flood of this run, because durations and processor time depend on the machine.
        expect(sumOf(outcome.answered)).toBeGreaterThan(2 * sumOf(delayed.get(name)!.answered));
        expect(costOf(outcome)).toBeGreaterThan(Math.max(0.1, 1.5 * costOf(delayed.get(name)!)));
      }
      report(FAULT, { control: `answered at once: ${lines.join('; ')}` });
    } finally {
      await scene.fleet.stop();
    }
  }, 300_000);
});
