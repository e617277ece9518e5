import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { cloneTemplate } from '../setup/test-app';
import { WHOLE } from './support/effort';
import { Fleet, type FleetSpace } from './support/fleet';
import { MemoryWatch } from './support/process-memory';
import { report } from './support/report';
import { percentile, requestText, run, type Steady, sumOf, typical, wrongOf } from './support/steady';

const WITHOUT_BUDGETS = join(__dirname, 'support/without-budgets.cjs');
const FAULT = 'attacks of one client by the keys of both environments';

const PER_SECOND = 20;
const SECONDS = WHOLE ? 15 : 4;
const PAIRS = WHOLE ? 3 : 1;
const CONNECTIONS = 32;
/** Employers, employees and members of each environment. */
const RECORDS = WHOLE ? 100_000 : 10_000;
const REWRITES = WHOLE ? 10 : 3;
const LISTS = 20;

/** Limits of deploy/kubernetes, and the option of the Dockerfile. */
const PRODUCTION = {
  NODE_OPTIONS: '--max-old-space-size=512 --max-semi-space-size=16',
  DATABASE_POOL_SIZE: '5',
};
/** Two thirds of the container's memory. */
const MOST_MIB = 683;
const MOST_BACKEND_MIB = 256;
/** How much later the victim may be answered: as a share or in ms, and never more than the last. */
const LATER = { share: 1.25, ms: 10, most: 50 };

/** An API with a victim, and a client with two environments that attacks it. */
class Scene {
  private constructor(
    private readonly fleet: Fleet,
    private readonly url: string,
    private readonly database: Client,
    private readonly victim: FleetSpace,
    private readonly clientId: string,
    /** Paths of the roll of a campaign, one in each environment. */
    private readonly rolls: readonly string[],
  ) {}

  static async make(env: Record<string, string> = {}): Promise<Scene> {
    const databaseUrl = await cloneTemplate();
    const fleet = await Fleet.start(databaseUrl, { env: { ...PRODUCTION, ...env } });
    const database = new Client({ connectionString: databaseUrl });
    await database.connect();
    const url = await fleet.apis[0]!.url();
    const spaces = await fleet.spaces(600);
    const rolls: string[] = [];
    for (const space of spaces) {
      const sent = fleet.asker(() => url, space.partner);
      const id = (await sent('POST', '/b2b/v1/campagnes', {
        titre: 'Entente',
        ouvertureDuVoteUtc: '2099-01-01T13:00:00Z',
        fermetureDuVoteUtc: '2099-01-08T22:00:00Z',
      })) as string;
      await fill(database, space, id);
      rolls.push(`/b2b/v1/campagnes/${id}/liste-electorale/ecarts`);
      // Publishes the changes.
      await sent('GET', '/b2b/v2/changement?limite=1');
    }
    const victim = await fleet.space();
    await fleet.asker(() => url, victim.partner)('POST', '/b2b/v1/employe', {
      ...{ idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' },
    });
    const scene = new Scene(fleet, url, database, victim, spaces[0]!.clientId, rolls);
    await scene.work(3);
    return scene;
  }

  work(seconds = SECONDS): Promise<Steady> {
    const requests = [requestText('GET', '/b2b/v1/employe/E-1', this.victim.partner)];
    const port = Number(new URL(this.url).port);
    return run('load.cjs', { kind: 'steady', port, requests, perSecond: PER_SECOND, seconds });
  }

  /** New keys of both environments attack, because each key has the usual limit of requests a minute. */
  async attack(attack: Attack): Promise<Record<string, number>> {
    const keys = [
      await this.fleet.key(this.clientId, 'production'),
      await this.fleet.key(this.clientId, 'staging'),
    ];
    const attacks = keys.flatMap(({ cle }, index) => attack(cle, this.rolls[index]!));
    return run('attacks.cjs', { port: Number(new URL(this.url).port), seconds: SECONDS + 2, attacks });
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

/** A million changes of employers, and employees in a union whom lists of many days name. */
async function fill(database: Client, { partnerId }: FleetSpace, campagneId: string): Promise<void> {
  const { rows } = await database.query<{ id: string }>('SELECT tenant_id AS id FROM cle WHERE id = $1', [
    partnerId,
  ]);
  const tenantId = rows[0]!.id;
  const written = async (text: string, values: unknown[]): Promise<void> => {
    await database.query('BEGIN');
    await database.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenantId]);
    await database.query(text, values);
    await database.query('COMMIT');
  };
  await written(
    `INSERT INTO employeur (tenant_id, id_externe, nom)
     SELECT $1, 'EMP-' || n, repeat('x', 100) FROM generate_series(1, $2::int) n`,
    [tenantId, RECORDS],
  );
  for (let again = 0; again < REWRITES; again++)
    await written('UPDATE employeur SET nom = nom WHERE tenant_id = $1', [tenantId]);
  await database.query(
    `INSERT INTO syndicat (tenant_id, id_externe, nom) VALUES ($1, 'SYN-1', 'Union des essais')`,
    [tenantId],
  );
  await database.query(
    `INSERT INTO employe (tenant_id, id_externe, prenom, nom)
     SELECT $1, 'E-' || n, 'Zoé', 'Roy' FROM generate_series(1, $2::int) n`,
    [tenantId, RECORDS],
  );
  await database.query(
    `INSERT INTO membership (tenant_id, id_externe_employe, syndicat_id_externe, date_adhesion)
     SELECT $1, 'E-' || n, 'SYN-1', '2020-01-01Z' FROM generate_series(1, $2::int) n`,
    [tenantId, RECORDS],
  );
  await database.query(
    `INSERT INTO liste_electorale (tenant_id, campagne_id, syndicats, actifs_le, jour_donne, poids, nombre_ajoutes,
       nombre_deja_presents)
     SELECT $1, $2, ARRAY['SYN-1'], '2026-01-01Z'::timestamptz + n * interval '1 day', true, 1, 0, 0
     FROM generate_series(1, $3::int) n`,
    [tenantId, campagneId, LISTS],
  );
  await database.query('VACUUM ANALYZE');
}

/** Attacks of one key. */
type Attack = (key: string, roll: string) => object[];

const flood = (key: string, path: string, connections = CONNECTIONS): object => ({
  ...{ kind: 'flood', request: { method: 'GET', path, key }, connections },
});

const shown = (count: number): string => count.toLocaleString('en');

const ATTACKS: readonly [name: string, attack: Attack][] = [
  [
    `pages of changes of a kind that has none, among ${shown(RECORDS * (REWRITES + 1))}`,
    (key) => [flood(key, '/b2b/v2/changement?limite=1&entite=Syndicat')],
  ],
  [`whole lists of ${shown(RECORDS)}`, (key) => [flood(key, '/b2b/v1/employeur')]],
  [
    `slow readers of lists of ${shown(RECORDS)}`,
    (key) => [
      {
        ...{ kind: 'slowReaders', request: { method: 'GET', path: '/b2b/v1/employeur', key } },
        connections: CONNECTIONS,
      },
    ],
  ],
  [
    `comparisons of a roll with ${LISTS} lists of ${shown(RECORDS)}, read and applied`,
    (key, roll) => [
      flood(key, roll, 2),
      {
        ...{ kind: 'flood', request: { method: 'POST', path: `${roll}/appliquer`, key }, connections: 4 },
        text: JSON.stringify({ empreinte: '0'.repeat(64), natures: ['AAjouter'] }),
      },
    ],
  ],
];

interface Outcome {
  readonly wrong: Readonly<Record<string, number>>;
  readonly processMiB: number;
  readonly backendMiB: number;
  readonly before: number;
  readonly during: number;
  readonly line: string;
}

/** Quiet and attacked periods alternate, because other load on the machine must affect both. */
async function compare(scene: Scene, name: string, attack: Attack, pairs = PAIRS): Promise<Outcome> {
  const [quiet, attacked]: [Steady[], Steady[]] = [[], []];
  const got: Record<string, number> = {};
  const memory = await scene.watch();
  for (let pair = 0; pair < pairs; pair++) {
    quiet.push(await scene.work());
    const attacking = scene.attack(attack);
    await wait(1_000);
    attacked.push(await scene.work());
    for (const [what, often] of Object.entries(await attacking)) got[what] = (got[what] ?? 0) + often;
    // The last statements of the attack end.
    await wait(5_000);
  }
  await memory.end();
  const { processMiB, backendMiB } = memory;
  const [before, during] = [typical(quiet, 0.99), typical(attacked, 0.99)];
  const longest = percentile(
    attacked.flatMap(({ latencies }) => latencies),
    0.9999,
  );
  const wrong = wrongOf([...quiet, ...attacked]);
  const line =
    `${name}: p99 ${before.toFixed(1)} → ${during.toFixed(1)} ms, longest ${longest.toFixed(0)} ms, ` +
    `API ${processMiB} MiB, backend ${backendMiB} MiB, attacker ${JSON.stringify(got)}` +
    (sumOf(wrong) > 0 ? `, victim ${JSON.stringify(wrong)}` : '');
  return { wrong, processMiB, backendMiB, before, during, line };
}

describe('An attack by the keys of both environments of one client', () => {
  let scene: Scene | undefined;
  beforeAll(async () => {
    scene = await Scene.make();
  }, 900_000);
  afterAll(() => scene?.end());

  const lines: string[] = [];
  let wrong = 0;

  it.each(ATTACKS)(
    'other clients are still served: %s',
    async (name, attack) => {
      const outcome = await compare(scene!, name, attack);
      lines.push(outcome.line);
      wrong += sumOf(outcome.wrong);
      report(FAULT, {
        trials: `${lines.length} attacks, each ${PAIRS} × ${SECONDS} s quiet and attacked, with a pool of 5 and a heap of 512 MB`,
        checked: `${PER_SECOND} reads/s of an employee of a victim`,
        losses: wrong,
        figures: lines.join('; '),
      });
      expect(outcome.wrong).toEqual({});
      expect(outcome.processMiB).toBeLessThan(MOST_MIB);
      expect(outcome.backendMiB).toBeLessThan(MOST_BACKEND_MIB);
      const { share, ms, most } = LATER;
      const goal = Math.max(outcome.before * share, outcome.before + ms);
      // Short trials share their machine with others.
      if (WHOLE) expect(outcome.during).toBeLessThan(Math.max(goal, most));
    },
    900_000,
  );
});

describe('The same attacks without budgets', () => {
  // Takes minutes, so the short form leaves it out.
  (WHOLE ? it : it.skip)(
    'slow down or fail the requests of others',
    async () => {
      const scene = await Scene.make({
        NODE_OPTIONS: `${PRODUCTION.NODE_OPTIONS} --require=${WITHOUT_BUDGETS}`,
      });
      try {
        const outcomes: Outcome[] = [];
        for (const [name, attack] of ATTACKS) outcomes.push(await compare(scene, name, attack, 1));
        report(FAULT, { control: outcomes.map(({ line }) => line).join('; ') });
        const isHarmed = ({ wrong, before, during, processMiB, backendMiB }: Outcome): boolean =>
          sumOf(wrong) > 0 ||
          during > before + LATER.most ||
          processMiB > MOST_MIB ||
          backendMiB > MOST_BACKEND_MIB;
        expect(outcomes.filter(isHarmed).length).toBeGreaterThan(1);
      } finally {
        await scene.end();
      }
    },
    900_000,
  );
});
