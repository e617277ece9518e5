import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repeatsOf } from '../webhooks/support/card-ledger';
import { Receiver, until } from '../webhooks/support/receiver';
import { WHOLE } from './support/effort';
import { Fleet } from './support/fleet';
import { delivered, faultsOfMixed, type Found, found } from './support/mixed-ledger';
import { MixedLoad } from './support/mixed-load';
import { OwnPostgres } from './support/own-postgres';
import { report } from './support/report';

const CLI = join(__dirname, '../../dist/apps/cli/src/main.js');
const FAULT = 'PostgreSQL killed (SIGKILL to all its processes), under syncs, signings and votes';
const KILLS = WHOLE ? 20 : 4;
/** Responses between two kills, because each kill must hit a working service. */
const WORK_BETWEEN = WHOLE ? 300 : 80;
/** The service must be ready 5 s after the database; half as much again for a busy machine. */
const READY_MS = 7_500;

interface Outcome {
  readonly load: MixedLoad;
  readonly there: Found;
  /**
   * For each kill, milliseconds from the first connection that the database accepts to the readiness of both processes.
   */
  readonly readyMs: readonly number[];
}

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function trial(kills: number, settings: Record<string, string> = {}): Promise<Outcome> {
  const postgres = await OwnPostgres.start(settings);
  open.push(postgres);
  const receiver = await Receiver.start();
  open.push(receiver);
  const fleet = await Fleet.start(postgres.url, { workers: 1 });
  open.push(fleet);
  const load = await MixedLoad.open(fleet, receiver.url);
  const probed = await Promise.all([...fleet.apis, ...fleet.workers].map((one) => one.url()));
  const areReady = async (): Promise<boolean> => {
    const answers = await Promise.all(
      probed.map((url) => fleet.send(url, undefined, 'GET', '/health/ready')),
    );
    return answers.every(({ status }) => status === 200);
  };
  const readyMs: number[] = [];
  load.start();
  for (let kill = 1; kill <= kills; kill++) {
    const before = load.seen.answered;
    await until('requests are answered', () => load.seen.answered >= before + WORK_BETWEEN, 60_000);
    await sleep(Math.random() * 300);
    await postgres.kill();
    await postgres.restart();
    const begun = performance.now();
    await until('both processes are ready', areReady, 60_000);
    readyMs.push(performance.now() - begun);
    process.stderr.write(
      `kill ${kill} of ${kills}: ready after ${readyMs.at(-1)!.toFixed(0)} ms, ${load.seen.answered} answered\n`,
    );
  }
  await load.stop();
  const database = await postgres.client();
  try {
    await delivered(database, load);
    // The audit trail must be intact after all writes.
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'verifier-journal'], {
      env: { ...process.env, ...fleet.env },
    });
    process.stderr.write(stdout);
    return { load, there: await found(database, fleet, load, receiver.received), readyMs };
  } finally {
    await database.end();
  }
}

describe('PostgreSQL killed under load', () => {
  it('keeps all confirmed writes, and the service recovers by itself', async () => {
    const { load, there, readyMs } = await trial(KILLS);
    const { seen } = load;
    const faults = faultsOfMixed(seen, there);
    report(FAULT, {
      trials: `${KILLS} kills`,
      checked: `${seen.cards.size} cards, ${seen.receipts.size} votes, ${seen.generations.reduce((a, b) => a + b)} syncs confirmed; ${seen.refused} × 503, ${seen.unanswered} unanswered`,
      losses: Object.values(faults).reduce((sum, often) => sum + often, 0),
      figures: `ready after the database: at most ${Math.max(...readyMs).toFixed(0)} ms; longest answer ${seen.longestMs.toFixed(0)} ms; ${repeatsOf(there.deliveries)} deliveries repeated`,
    });
    expect(seen.others).toEqual([]);
    expect(faults).toEqual({});
    expect(Math.max(...readyMs)).toBeLessThan(READY_MS);
    // There was data of each kind that could have been lost.
    expect(Math.min(seen.cards.size, seen.receipts.size, ...seen.generations)).toBeGreaterThan(KILLS);
    expect(seen.refused).toBeGreaterThan(KILLS);
  }, 600_000);

  it('negative control: the check reports the losses of a database that confirms before it writes', async () => {
    const { load, there } = await trial(2, { synchronous_commit: 'off', wal_writer_delay: '10s' });
    const faults = faultsOfMixed(load.seen, there);
    const cards = faults['missing cards that returned 201'] ?? 0;
    const votes = faults['missing votes that returned 201'] ?? 0;
    report(FAULT, {
      control: `a database that confirms before it writes, 2 kills: ${cards} cards and ${votes} votes lost`,
    });
    expect(cards).toBeGreaterThan(0);
    expect(votes).toBeGreaterThan(0);
  }, 300_000);
});
