import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { cloneTemplate } from '../setup/test-app';
import { Mortal } from '../http/mortal';
import { Receiver, until } from '../webhooks/support/receiver';
import { WHOLE } from './support/effort';
import { Fleet, type FleetSpace } from './support/fleet';
import { MemoryWatch } from './support/process-memory';
import { report } from './support/report';

const FAULT = 'large events of one client to receivers that never read';

/** Endpoints of each data space of the attacker, and events of each. */
const ENDPOINTS = 50;
const EVENTS = 16;
const EVENT_CHARACTERS = 498_051;
const ENVIRONMENTS = ['staging', 'production'] as const;

/** Heap of a process in MB as in deploy/kubernetes, and two thirds of its memory there. */
const HEAP = '--max-old-space-size=512';
const MOST_MIB = 683;

/** Maximum time in ms from a signing to the arrival of its event. */
const LATEST_MS = 5_000;

/** Each period begins with a new worker. */
const PERIODS = WHOLE ? 4 : 2;
/** More than two timeouts of an attempt. */
const PERIOD_MS = WHOLE ? 60_000 : 35_000;
const CARD_EVERY_MS = 200;

/** Accepts connections and never reads. */
class Deaf {
  private constructor(
    private readonly server: Server,
    private readonly sockets: Set<Socket>,
  ) {}

  static async start(): Promise<Deaf> {
    const sockets = new Set<Socket>();
    const server = createServer({ pauseOnConnect: true }, (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Deaf(server, sockets);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

/** The events of the victim. */
class Victim {
  readonly lateMs: number[] = [];
  private readonly signedAt = new Map<string, number>();

  private constructor(
    receiver: Receiver,
    private readonly sign: () => Promise<string>,
  ) {
    receiver.behaviours.set('/victim', ({ body, at }, response) => {
      response.writeHead(204).end();
      const { data } = JSON.parse(body) as { data: { idUniqueAdhesion: string } };
      this.arrivedAt.set(data.idUniqueAdhesion, at);
    });
  }

  private readonly arrivedAt = new Map<string, number>();

  static async make(fleet: Fleet, receiver: Receiver): Promise<Victim> {
    const url = await fleet.apis[0]!.url();
    const { partner, platform } = await fleet.space();
    const sent = fleet.asker(() => url, partner);
    await sent('POST', '/b2b/v2/sync', {
      Syndicats: [{ IdentifiantExterne: 'S-1', Nom: 'Syndicat' }],
      Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy' }],
    });
    await sent('POST', '/b2b/v2/webhook', { url: `${receiver.url}/victim`, types: ['adhesion.signee'] });
    const card = {
      ...{ employeIdExterne: 'E-1', syndicatIdExterne: 'S-1', prenom: 'Zoé', nom: 'Roy' },
      courriel: 'zoe@example.org',
    };
    const asked = fleet.asker(() => url, platform);
    return new Victim(
      receiver,
      async () => (await asked('POST', '/plateforme/v1/adhesions', card)).idUniqueAdhesion as string,
    );
  }

  /** Signs cards for a time, and notes how late their events arrive. An event that does not arrive counts as late until now. */
  async work(periodMs: number): Promise<void> {
    const end = Date.now() + periodMs;
    const cards: string[] = [];
    while (Date.now() < end) {
      const id = await this.sign();
      this.signedAt.set(id, Date.now());
      cards.push(id);
      await wait(CARD_EVERY_MS);
    }
    const last = Date.now();
    while (cards.some((id) => !this.arrivedAt.has(id)) && Date.now() - last < LATEST_MS) await wait(50);
    for (const id of cards) this.lateMs.push((this.arrivedAt.get(id) ?? Date.now()) - this.signedAt.get(id)!);
  }

  /** Signs one card and waits until its event has arrived: the worker works. */
  async once(): Promise<void> {
    const id = await this.sign();
    await until('an event arrives', () => this.arrivedAt.has(id), 60_000);
  }
}

interface Outcome {
  /** Ends of a worker without a stop. */
  readonly deaths: number;
  readonly processMiB: number;
  readonly lateMs: readonly number[];
  readonly attempts: number;
}

/** A client with endpoints that never read and events that wait for them, and a victim. */
class Scene {
  private constructor(
    private readonly fleet: Fleet,
    private readonly database: Client,
    private readonly deaf: Deaf,
    private readonly receiver: Receiver,
    private readonly victim: Victim,
    private readonly workerEnv: Record<string, string>,
    private readonly replays: readonly (() => Promise<unknown>)[],
  ) {}

  static async make(options = HEAP): Promise<Scene> {
    const databaseUrl = await cloneTemplate();
    const fleet = await Fleet.start(databaseUrl, { env: { NODE_OPTIONS: HEAP } });
    const database = new Client({ connectionString: databaseUrl });
    await database.connect();
    const deaf = await Deaf.start();
    const receiver = await Receiver.start();
    const attacker = await fleet.space();
    const replays = [];
    for (const environment of ENVIRONMENTS)
      replays.push(...(await fill(fleet, database, attacker, environment, deaf.url)));
    const victim = await Victim.make(fleet, receiver);
    const workerEnv = { ...fleet.env, NODE_OPTIONS: options };
    return new Scene(fleet, database, deaf, receiver, victim, workerEnv, replays);
  }

  async attack(periods: number): Promise<Outcome> {
    const worker = new Mortal('worker', this.workerEnv);
    let [deaths, processMiB] = [0, 0];
    let isOver = false;
    try {
      await worker.url();
      const watching = (async () => {
        while (!isOver) {
          const child = await worker.running().catch(() => undefined);
          const memory = child && new MemoryWatch(child.process.pid!, this.database);
          while (!isOver && child?.isRunning && child === (await worker.running().catch(() => undefined)))
            await wait(50);
          await memory?.end();
          processMiB = Math.max(processMiB, memory?.processMiB ?? 0);
          if (child && !isOver && child === (await worker.running().catch(() => undefined))) {
            deaths += 1;
            await worker.kill();
          }
        }
      })();
      for (let period = 0; period < periods; period++) {
        await Promise.all(this.replays.map((replay) => replay()));
        if (period > 0) await worker.kill();
        if (period > 0) await this.victim.once().catch(() => undefined);
        await this.victim.work(PERIOD_MS);
      }
      isOver = true;
      await watching;
    } finally {
      isOver = true;
      await worker.end().catch(() => undefined);
    }
    const { rows } = await this.database.query<{ count: number }>(
      `SELECT coalesce(sum(jsonb_array_length(tentatives)), 0)::int AS count FROM livraison l
       JOIN evenement e USING (tenant_id) WHERE e.id_unique = l.evenement_id AND length(e.data::text) > 100000`,
    );
    return { deaths, processMiB, lateMs: this.victim.lateMs, attempts: rows[0]!.count };
  }

  async end(): Promise<void> {
    this.deaf.stop();
    await this.database.end();
    await this.receiver.stop();
    await this.fleet.stop();
  }
}

/**
 * Adds endpoints that never read, and events that a card of before the present limits may have.
 *
 * @returns functions that send all events to an endpoint
 */
async function fill(
  fleet: Fleet,
  database: Client,
  { clientId }: FleetSpace,
  environnement: (typeof ENVIRONMENTS)[number],
  address: string,
): Promise<(() => Promise<unknown>)[]> {
  const url = await fleet.apis[0]!.url();
  const admin = fleet.asker(() => url, fleet.adminKey);
  const cle = await admin('POST', `/admin/v1/clients/${clientId}/cles`, {
    ...{ nom: 'Essai', environnement, role: 'partenaire' },
  });
  const sent = fleet.asker(() => url, cle.cle as string);
  const replays = [];
  for (let n = 0; n < ENDPOINTS; n++) {
    const body = { url: `${address}/${environnement}/${n}`, types: ['adhesion.signee'] };
    const { id } = await sent('POST', '/b2b/v2/webhook', body);
    replays.push(() => sent('POST', `/b2b/v2/webhook/${id}/recuperer`, { depuis: '2020-01-01' }));
  }
  // The dash is outside Latin-1: V8 stores such a text with two bytes a character.
  await database.query(
    `INSERT INTO evenement (tenant_id, type, data)
     SELECT (SELECT tenant_id FROM cle WHERE id = $1), 'adhesion.signee', json_build_object('n', n, 'valeur',
       '–' || left(repeat(md5(n::text), $3::int / 32 + 1), $3::int))
     FROM generate_series(1, $2::int) n`,
    [cle.id, EVENTS, EVENT_CHARACTERS],
  );
  return replays;
}

function told({ deaths, processMiB, lateMs, attempts }: Outcome): string {
  const sorted = lateMs.toSorted((one, other) => one - other);
  return (
    `worker ${processMiB} MiB, ${deaths} × out of memory; ${attempts} attempts; ${lateMs.length} events of another client, ` +
    `p50 ${sorted[Math.floor(sorted.length / 2)]} ms, latest ${sorted.at(-1)} ms`
  );
}

it('the worker goes on within its memory, and events of another client arrive in time', async () => {
  const scene = await Scene.make();
  try {
    const outcome = await scene.attack(PERIODS);
    const late = outcome.lateMs.filter((ms) => ms > LATEST_MS).length;
    report(FAULT, {
      trials: `${ENVIRONMENTS.length * ENDPOINTS} endpoints × ${EVENTS} events of ${EVENT_CHARACTERS} characters, ${PERIODS - 1} × worker killed`,
      checked: `${outcome.lateMs.length} events of another client`,
      losses: late + outcome.deaths,
      figures: told(outcome),
    });
    expect({ deaths: outcome.deaths, late }).toEqual({ deaths: 0, late: 0 });
    expect(outcome.processMiB).toBeLessThan(MOST_MIB);
    // The attack took place.
    expect(outcome.attempts).toBeGreaterThan(PERIODS * ENDPOINTS);
  } finally {
    await scene.end();
  }
}, 900_000);
