import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Wire } from '../http/wire';
import { repeatsOf } from '../webhooks/support/card-ledger';
import { Receiver, until } from '../webhooks/support/receiver';
import { WHOLE } from './support/effort';
import { Fleet } from './support/fleet';
import { delivered, faultsOfMixed, type Found, found } from './support/mixed-ledger';
import { MixedLoad } from './support/mixed-load';
import { report } from './support/report';
import { ReplicatedPostgres, serviceUrlOf } from './support/standby';

const CLI = join(__dirname, '../../dist/apps/cli/src/main.js');
/** Failovers by each way to the servers. The short form has one of each. */
const ROUNDS = WHOLE ? 20 : 1;
/** Responses between two failovers, because each must hit a working service. */
const WORK_BETWEEN = WHOLE ? 300 : 80;
/** The service must be ready 5 s after the promotion; half as much again for a busy machine. */
const READY_MS = 7_500;
/** How long the old primary is the only server that can be reached. */
const OLD_ALONE_MS = 3_000;
/** How long the primary confirms writes that its asynchronous standby does not get. */
const LAG_MS = 2_000;

/** That of all processes, because the trials share one database with its audit trails. */
const SECRETS_KEY = randomBytes(32).toString('base64');

/** Commits wait for the standby, and their time would exceed the budget of one data space. */
const NODE_OPTIONS = `--require=${join(__dirname, 'support/without-budgets.cjs')}`;

/** How the processes find the primary. */
type Way = 'several servers in DATABASE_URL' | 'an address that moves';

interface Outcome {
  readonly load: MixedLoad;
  readonly there: Found;
  /** Milliseconds from the end of the promotion to the readiness of both processes, for each failover. */
  readonly readyMs: readonly number[];
  /** Probes of readiness that succeeded while only the old primary could be reached; the number of probes. */
  readonly readyOnOld: readonly [number, number];
}

let pair: ReplicatedPostgres;
beforeAll(async () => {
  pair = await ReplicatedPostgres.start();
}, 120_000);
afterAll(() => pair.stop());

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function trial(way: Way, rounds: number, isSynchronous = true): Promise<Outcome> {
  // The asynchronous standby follows over a network that loses what the primary confirms.
  const links: Wire[] = [];
  const link = async (url: string): Promise<string> => {
    if (isSynchronous) return url;
    const laid = await Wire.lay(url);
    links.push(laid.wire);
    return laid.url;
  };
  const replication = { synchronous: isSynchronous, link };
  await pair.follow(replication);
  open.push({ stop: async () => void (await Promise.all(links.map((one) => one.cut()))) });
  const { wire, url: address } = await Wire.lay(pair.primary.url);
  open.push({ stop: () => wire.cut() });
  const url = way === 'an address that moves' ? serviceUrlOf(address) : pair.url;
  const receiver = await Receiver.start();
  open.push(receiver);
  const fleet = await Fleet.start(url, { workers: 1, env: { SECRETS_KEY, NODE_OPTIONS } });
  open.push(fleet);
  const load = await MixedLoad.open(fleet, receiver.url);
  const probed = await Promise.all([...fleet.apis, ...fleet.workers].map((one) => one.url()));
  const readiness = async (): Promise<boolean[]> =>
    Promise.all(
      probed.map(async (one) => (await fleet.send(one, undefined, 'GET', '/health/ready')).status === 200),
    );
  const areReady = async (): Promise<boolean> => (await readiness()).every(Boolean);
  const readyMs: number[] = [];
  let readyOnOld: [number, number] = [0, 0];
  load.start();
  for (let round = 1; round <= rounds; round++) {
    const before = load.seen.answered;
    await until('requests are answered', () => load.seen.answered >= before + WORK_BETWEEN, 60_000);
    await sleep(Math.random() * 300);
    for (const one of links) one.deafen();
    if (!isSynchronous) await sleep(LAG_MS);
    await pair.primary.kill();
    await pair.promote();
    const promoted = performance.now();
    wire.leadTo(pair.primary.url);
    await until('both processes are ready', areReady, 60_000);
    readyMs.push(performance.now() - promoted);
    process.stderr.write(
      `failover ${round} of ${rounds}: ready after ${readyMs.at(-1)!.toFixed(0)} ms, ${load.seen.answered} answered\n`,
    );
    if (round < rounds) await pair.follow(replication);
    else if (isSynchronous) readyOnOld = await oldAlone();
  }

  /** The old primary comes back, takes writes, and is the only server that the processes reach. */
  async function oldAlone(): Promise<[number, number]> {
    const old = await pair.revive();
    wire.leadTo(old.url);
    await pair.primary.kill();
    wire.reset();
    await until('the processes notice', async () => !(await readiness()).some(Boolean), 30_000);
    const counted: boolean[] = [];
    const end = performance.now() + OLD_ALONE_MS;
    while (performance.now() < end) {
      counted.push(...(await readiness()));
      await sleep(100);
    }
    await pair.primary.restart();
    wire.leadTo(pair.primary.url);
    wire.reset();
    await until('both processes are ready again', areReady, 60_000);
    return [counted.filter(Boolean).length, counted.length];
  }

  await sleep(500);
  await load.stop();
  const database = await pair.primary.client();
  try {
    await delivered(database, load);
    // The audit trail must be intact after all writes.
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'verifier-journal'], {
      env: { ...process.env, ...fleet.env },
    });
    process.stderr.write(stdout);
    return { load, there: await found(database, fleet, load, receiver.received), readyMs, readyOnOld };
  } finally {
    await database.end();
  }
}

describe('The primary killed under load, and its standby promoted', () => {
  it.each(['several servers in DATABASE_URL', 'an address that moves'] satisfies Way[])(
    'with a synchronous standby and %s: keeps all confirmed writes, is ready again, and refuses the old primary',
    async (way) => {
      const { load, there, readyMs, readyOnOld } = await trial(way, ROUNDS);
      const { seen } = load;
      const faults = faultsOfMixed(seen, there);
      report(`Primary killed (SIGKILL), synchronous standby promoted: ${way}`, {
        trials: `${ROUNDS} failovers`,
        checked: `${seen.cards.size} cards, ${seen.receipts.size} votes, ${seen.generations.reduce((a, b) => a + b)} syncs confirmed; ${seen.refused} × 503, ${seen.unanswered} unanswered`,
        losses: Object.values(faults).reduce((sum, often) => sum + often, 0),
        figures: `ready after the promotion: at most ${Math.max(...readyMs).toFixed(0)} ms; longest answer ${seen.longestMs.toFixed(0)} ms; ${repeatsOf(there.deliveries)} deliveries repeated; ready ${readyOnOld[0]} of ${readyOnOld[1]} times while only the old primary was there`,
      });
      expect(seen.others).toEqual([]);
      expect(faults).toEqual({});
      expect(Math.max(...readyMs)).toBeLessThan(READY_MS);
      expect(readyOnOld[0]).toBe(0);
      expect(readyOnOld[1]).toBeGreaterThan(4);
      // There was data of each kind that could have been lost.
      expect(Math.min(seen.cards.size, seen.receipts.size, ...seen.generations)).toBeGreaterThan(ROUNDS);
      expect(seen.refused).toBeGreaterThan(ROUNDS);
    },
    WHOLE ? 1_800_000 : 240_000,
  );

  it('negative control: the check reports the losses of an asynchronous standby', async () => {
    const { load, there } = await trial('several servers in DATABASE_URL', 1, false);
    const faults = faultsOfMixed(load.seen, there);
    const cards = faults['missing cards that returned 201'] ?? 0;
    const votes = faults['missing votes that returned 201'] ?? 0;
    report('Primary killed (SIGKILL), synchronous standby promoted: several servers in DATABASE_URL', {
      control: `an asynchronous standby that lags by ${LAG_MS / 1_000} s: ${cards} cards and ${votes} votes lost`,
    });
    expect(cards).toBeGreaterThan(0);
    expect(votes).toBeGreaterThan(0);
  }, 240_000);
});
