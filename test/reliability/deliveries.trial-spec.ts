import { randomBytes, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { Mortal } from '../http/mortal';
import { TestApp } from '../setup/test-app';
import { faultsOf, type Ledger, pendingOf, readLedger, repeatsOf } from '../webhooks/support/card-ledger';
import { EMPLOYEES, KillTrial, type Plan, seeded } from '../webhooks/support/kill-trial';
import { type Received, Receiver, until } from '../webhooks/support/receiver';
import { register, scene, sign } from '../webhooks/support/signed';

const LATE_OUTBOX = join(__dirname, '../webhooks/support/late-outbox.cjs');

let app: TestApp;
let receiver: Receiver;
let environment: Record<string, string>;
const mortals: Mortal[] = [];

beforeAll(async () => {
  app = await TestApp.start();
  receiver = await Receiver.start();
  environment = {
    DATABASE_URL: app.config.databaseUrl,
    ADMIN_API_KEY: app.config.adminApiKey,
    SECRETS_KEY: app.config.secretsKey.toString('base64'),
    WEBHOOK_ALLOW_INSECURE: 'true',
    RATE_LIMIT_PER_MINUTE: '1000000',
  };
});
afterEach(async () => {
  await Promise.all(mortals.splice(0).map((mortal) => mortal.end()));
});
afterAll(async () => {
  await receiver.stop();
  await app.stop();
});

function mortal(kind: 'partner-api' | 'worker', more: Record<string, string> = {}): Mortal {
  const made = new Mortal(kind, { ...environment, ...more });
  mortals.push(made);
  return made;
}

interface Outcome {
  readonly ledger: Ledger;
  readonly kills: number;
  /** Answers to signings that are neither 201 nor missing. */
  readonly others: readonly string[];
}

/** Signs and kills, waits until nothing is left to deliver, and answers all that is known then. */
async function trial(name: string, plan: Plan, apiEnv: Record<string, string> = {}): Promise<Outcome> {
  const seed = Number(process.env.KILLS_SEED ?? randomInt(2 ** 31));
  const start = Date.now();
  const tell = (line: string): void => {
    process.stderr.write(`${name}, ${((Date.now() - start) / 1_000).toFixed(0)} s: ${line}\n`);
  };
  tell(`KILLS_SEED=${seed}`);
  const random = seeded(seed);

  const place = await scene(app);
  const { tenantId } = place.tenant;
  const Employes = Array.from({ length: EMPLOYEES }, (_, index) => ({
    IdExterne: `E-${index}`,
    Prenom: 'Zoé',
    Nom: 'Tremblay',
  }));
  expect((await app.send(place.tenant, 'POST', '/b2b/v2/sync', { Employes })).status).toBe(200);
  const path = `/${name.replaceAll(' ', '-')}`;
  receiver.behaviours.set(path, (_received, response) => {
    setTimeout(() => response.writeHead(204).end(), random() * 20);
  });
  const { secret } = await register(app, place, receiver.url + path);

  const [api, worker] = [mortal('partner-api', apiEnv), mortal('worker')];
  const signing = new KillTrial(plan, api, worker, place.plateforme, random, tell);
  await signing.run();
  tell(`all signed; ${JSON.stringify(await pendingOf(app.database, tenantId))}`);
  // A transaction of a process that was killed may still be at work in the database.
  await api.url();
  await until(
    'everything is delivered',
    async () => {
      const { pendingDeliveries, jobs } = await pendingOf(app.database, tenantId);
      return pendingDeliveries + jobs === 0;
    },
    120_000,
  );
  const { answered, unanswered, others } = signing.seen;
  const received = receiver.of(path);
  const ledger = await readLedger(app.database, tenantId, { answered, received, secret });
  tell(
    `${api.kills} kills of the API and ${worker.kills} of the worker; ${plan.cards} signings sent, ` +
      `${answered.size} answered 201, ${unanswered} unanswered; ${ledger.cards.length} cards, ` +
      `${received.length} arrivals, ${repeatsOf(ledger)} of them repeats; the API was down for ` +
      `${(api.downMs / 1_000).toFixed(0)} s of it; faults ${JSON.stringify(faultsOf(ledger))}`,
  );
  return { ledger, kills: api.kills + worker.kills, others };
}

describe('The check of cards, events and arrivals', () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const arrival = (id: string, card: string): Received => {
    const [at, body] = [new Date(), JSON.stringify({ data: { idUniqueAdhesion: card } })];
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    };
    return { path: '/', headers, body, at: at.getTime() };
  };
  const sound: Ledger = {
    answered: new Set(['A', 'B']),
    cards: ['A', 'B', 'C'],
    events: ['A', 'B', 'C'].map((card) => ({ id: `evt ${card}`, card })),
    received: ['A', 'B', 'C', 'B'].map((card) => arrival(`evt ${card}`, card)),
    secret,
    pendingDeliveries: 0,
    jobs: 0,
  };

  it('finds nothing where each card has arrived, also where one came twice', () => {
    expect(faultsOf(sound)).toEqual({});
    expect(repeatsOf(sound)).toBe(1);
  });

  it.each<[string, Partial<Ledger>]>([
    ['cards without an event', { cards: [...sound.cards, 'D'] }],
    ['cards with several events', { events: [...sound.events, { id: 'evt A2', card: 'A' }] }],
    ['events without a card', { cards: ['A', 'B'] }],
    ['events that never arrived', { received: sound.received.slice(1) }],
    ['arrivals of what was not committed', { received: [...sound.received, arrival('evt X', 'X')] }],
    ['cards answered 201 that do not exist', { answered: new Set(['A', 'X']) }],
    ['cards answered 201 that never arrived', { received: sound.received.slice(1) }],
    ['arrivals that tell of another card', { received: [...sound.received, arrival('evt A', 'B')] }],
    ['repeats with another body', { received: [...sound.received, arrival('evt A', 'B')] }],
    [
      'arrivals whose signature is wrong',
      { received: [...sound.received, { ...arrival('evt A', 'A'), body: sound.received[1]!.body }] },
    ],
    ['deliveries left', { pendingDeliveries: 1 }],
    ['jobs left', { jobs: 1 }],
  ])('reports %s', (fault, damage) => {
    expect(faultsOf({ ...sound, ...damage })[fault]).toBe(1);
  });
});

/** `npm run test:reliability` kills for minutes; among the other tests it is a short form of the same. */
const WHOLE = process.env.RELIABILITY === 'whole';

describe('Processes killed with SIGKILL while cards are signed', () => {
  it('every card that exists arrives, and nothing else does', async () => {
    const plan = WHOLE
      ? { cards: 10_000, inFlight: 12, apiKills: 15, workerKills: 15 }
      : { cards: 1_200, inFlight: 12, apiKills: 3, workerKills: 3 };
    const { ledger, kills, others } = await trial('whole', plan);
    expect(others).toEqual([]);
    expect(kills).toBe(plan.apiKills + plan.workerKills);
    expect(faultsOf(ledger)).toEqual({});
    // The check had something to look at.
    expect(ledger.cards.length).toBeGreaterThan(plan.cards * 0.9);
    expect(ledger.answered.size).toBeGreaterThan(plan.cards * 0.9);
  }, 600_000);

  it('the same check reports the losses of an API that writes its events after the commit', async () => {
    const plan = { cards: 600, inFlight: 12, apiKills: 4, workerKills: 0 };
    const { ledger, kills } = await trial('broken on purpose', plan, {
      NODE_OPTIONS: `--require=${LATE_OUTBOX}`,
    });
    expect(kills).toBe(4);
    const faults = faultsOf(ledger);
    expect(faults['cards without an event']).toBeGreaterThan(0);
    expect(faults['cards answered 201 that never arrived']).toBeGreaterThan(0);
  }, 300_000);
});

describe('A worker killed while a receiver holds its answers', () => {
  it('what it held is attempted again by another worker within a minute, and delivered', async () => {
    const place = await scene(app);
    receiver.behaviours.set('/hang', () => undefined);
    await register(app, place, `${receiver.url}/hang`);
    const first = mortal('worker');
    await first.url();
    const cards = await Promise.all(Array.from({ length: 10 }, () => sign(app, place)));
    await until('all are held', () => receiver.of('/hang').length === cards.length);
    const held = receiver.of('/hang').map(({ headers, body }) => ({ id: headers['webhook-id'], body }));
    const second = mortal('worker');
    await second.url();
    receiver.behaviours.delete('/hang');
    await first.end();
    mortals.splice(mortals.indexOf(first), 1);
    await until('all are attempted again', () => receiver.of('/hang').length >= 2 * cards.length, 60_000);
    await until('all are delivered', async () => {
      const { pendingDeliveries, jobs } = await pendingOf(app.database, place.tenant.tenantId);
      return pendingDeliveries + jobs === 0;
    });
    const again = receiver.of('/hang').slice(cards.length);
    expect(again.map(({ headers, body }) => ({ id: headers['webhook-id'], body })).sort(byId)).toEqual(
      [...held].sort(byId),
    );
  }, 180_000);
});

function byId(one: { id: unknown }, other: { id: unknown }): number {
  return String(one.id) < String(other.id) ? -1 : 1;
}
