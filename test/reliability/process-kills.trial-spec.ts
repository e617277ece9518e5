import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Mortal } from '../http/mortal';
import { seeded } from '../setup/seeded';
import { cloneTemplate } from '../setup/test-app';
import { repeatsOf } from '../webhooks/support/card-ledger';
import { Receiver, until } from '../webhooks/support/receiver';
import { WHOLE } from './support/effort';
import { Fleet } from './support/fleet';
import { delivered, faultsOfMixed, type Found, found } from './support/mixed-ledger';
import { MixedLoad } from './support/mixed-load';
import { report } from './support/report';

const LATE_OUTBOX = join(__dirname, '../webhooks/support/late-outbox.cjs');
const FAULT = 'API and worker killed (SIGKILL), under syncs, signings and votes';
const KILLS = WHOLE ? 30 : 6;
/** Responses between two kills, because each kill must hit working processes. */
const WORK_BETWEEN = WHOLE ? 250 : 60;

interface Outcome {
  readonly load: MixedLoad;
  readonly there: Found;
  readonly api: Mortal;
  readonly worker: Mortal;
}

/** The number of confirmed writes of the kind with the fewest. */
const leastConfirmed = ({ cards, receipts, generations }: MixedLoad['seen']): number =>
  Math.min(cards.size, receipts.size, ...generations);

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

/** @param victim the next process to kill, by the number of kills so far */
async function trial(
  kills: number,
  victim: (kill: number, fleet: Fleet) => Mortal,
  env: Record<string, string> = {},
): Promise<Outcome> {
  const seed = Number(process.env.KILLS_SEED ?? randomInt(2 ** 31));
  process.stderr.write(`KILLS_SEED=${seed}\n`);
  const random = seeded(seed);
  const databaseUrl = await cloneTemplate();
  const receiver = await Receiver.start();
  open.push(receiver);
  const fleet = await Fleet.start(databaseUrl, { workers: 1, env });
  open.push(fleet);
  const load = await MixedLoad.open(fleet, receiver.url);
  // Responses are delayed, because the worker must die while it waits for some.
  receiver.behaviours.set('/', (_received, response) => {
    setTimeout(() => response.writeHead(204).end(), random() * 20);
  });
  const [api, worker] = [fleet.apis[0]!, fleet.workers[0]!];
  load.start();
  for (let kill = 1; kill <= kills; kill++) {
    const before = load.seen.answered;
    const isWorked = (): boolean =>
      load.seen.answered >= before + WORK_BETWEEN && leastConfirmed(load.seen) > kill;
    await until('requests of each kind are answered', isWorked, 60_000);
    const next = victim(kill, fleet);
    await next.url();
    await sleep(random() * 200);
    await next.kill();
  }
  await api.url();
  await load.stop();
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await delivered(database, load);
    return { load, there: await found(database, fleet, load, receiver.received), api, worker };
  } finally {
    await database.end();
  }
}

describe('Processes killed under load', () => {
  it('all confirmed writes are stored, and each card arrives', async () => {
    const turns = (kill: number, { apis, workers }: Fleet): Mortal => [workers, apis][kill % 2]![0]!;
    const { load, there, api, worker } = await trial(KILLS, turns);
    const { seen } = load;
    const faults = faultsOfMixed(seen, there);
    report(FAULT, {
      trials: `${api.kills} kills of the API, ${worker.kills} of the worker`,
      checked: `${seen.cards.size} cards, ${seen.receipts.size} votes, ${seen.generations.reduce((a, b) => a + b)} syncs confirmed; ${seen.unanswered} requests unanswered`,
      losses: Object.values(faults).reduce((sum, often) => sum + often, 0),
      figures: `${there.deliveries.received.length} deliveries, ${repeatsOf(there.deliveries)} of them repeats; a start took ${(api.downMs / (api.kills + 1)).toFixed(0)} ms on average`,
    });
    expect(seen.others).toEqual([]);
    expect(faults).toEqual({});
    expect([api.kills, worker.kills]).toEqual([KILLS / 2, KILLS / 2]);
    expect(leastConfirmed(seen)).toBeGreaterThan(KILLS);
  }, 600_000);

  it('negative control: the check reports the losses of an API that writes events after the commit', async () => {
    const env = { NODE_OPTIONS: `--require=${LATE_OUTBOX}` };
    const { load, there } = await trial(6, (_kill, { apis }) => apis[0]!, env);
    const faults = faultsOfMixed(load.seen, there);
    const events = faults['cards without an event'] ?? 0;
    report(FAULT, {
      control: `events written 20 ms after the commit, 6 kills: ${events} cards without an event`,
    });
    expect(events).toBeGreaterThan(0);
  }, 300_000);
});
