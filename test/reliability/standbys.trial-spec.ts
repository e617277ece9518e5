import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Receiver, until } from '../webhooks/support/receiver';
import { WHOLE } from './support/effort';
import { Fleet } from './support/fleet';
import { delivered, faultsOfMixed, found } from './support/mixed-ledger';
import { MixedLoad } from './support/mixed-load';
import { ReadingLoad } from './support/reading-load';
import { report } from './support/report';
import { ReplicatedPostgres } from './support/standby';

const FAULT =
  'Reads from a standby that is late, killed, and promoted after its primary was killed (SIGKILL)';
/** Failovers. Before each of them, the standby is late once, and killed once while it serves reads. */
const ROUNDS = WHOLE ? 5 : 1;
/** Responses, and reads by the standby, before each fault, because it must hit a working service. */
const WORK_BETWEEN = 80;
const READS_BETWEEN = 200;
/** Partners that read more than they write. */
const PARTNERS = 4;
/** The standby replays each commit so much later; this is less than it may be behind. */
const REPLAY_MS = 300;
/** Time for which the replay is paused; this is more than a standby may be behind. */
const LATE_MS = 2_000;
/** How long a lock waits for reads on the standby. */
const HOLD_MS = 500;
const CONTROL_MS = 6_000;

const required = (file: string): string => `--require=${join(__dirname, 'support', file)}`;

let pair: ReplicatedPostgres;
const replication = { settings: { recovery_min_apply_delay: `${REPLAY_MS}ms` } };
beforeAll(async () => {
  pair = await ReplicatedPostgres.start(replication);
}, 120_000);
afterAll(() => pair.stop());

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

/** That of all processes, because both trials share the database. */
const SECRETS_KEY = randomBytes(32).toString('base64');

/** Two APIs and a worker that read from whichever server is a standby. Commits wait for it, and their time would exceed budgets. */
async function started(...broken: string[]): Promise<Fleet> {
  const NODE_OPTIONS = ['without-budgets.cjs', ...broken].map(required).join(' ');
  const env = { SECRETS_KEY, NODE_OPTIONS, DATABASE_READ_URLS: pair.readUrls };
  const fleet = await Fleet.start(pair.url, { apis: 2, workers: 1, env });
  open.push(fleet);
  return fleet;
}

/** Number of reads of employers that the standby has served since its start, about one second ago. */
async function served(): Promise<number> {
  const [row] = await pair.standby.query<{ scans: number }>(
    `SELECT (seq_scan + idx_scan)::int AS scans FROM pg_stat_user_tables WHERE relname = 'employeur'`,
  );
  return row!.scans;
}

/** Makes reads wait on the standby, by a lock that it replays. @returns what releases the lock */
async function readsHeld(): Promise<() => Promise<void>> {
  const locker = await pair.primary.client();
  const release = async (): Promise<void> => void (await locker.query('ROLLBACK'));
  for (;;) {
    await locker.query('BEGIN; LOCK TABLE employeur; SELECT pg_current_xact_id()');
    const end = performance.now() + HOLD_MS;
    while (performance.now() < end) {
      const [row] = await pair.standby.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE application_name = 'mandat api' AND wait_event_type = 'Lock'`,
      );
      if (row!.count > 0) return () => release().finally(() => locker.end());
    }
    // The partners have just written, so all reads wait on the primary.
    await release();
    await sleep(HOLD_MS);
  }
}

describe('The reads of partners from a standby', () => {
  it(
    'standby late, away and promoted: every read succeeds and has the last write of its key',
    async () => {
      const receiver = await Receiver.start();
      open.push(receiver);
      const fleet = await started();
      let turn = 0;
      const address = (): Promise<string> => fleet.apis[turn++ % 2]!.url();
      const load = await MixedLoad.open(fleet, receiver.url, address);
      const reading = await ReadingLoad.open(fleet, PARTNERS);
      // Also if the trial fails: its callers would never end.
      open.push(load, reading);
      const areReady = async (): Promise<boolean> => {
        const urls = await Promise.all([...fleet.apis, ...fleet.workers].map((one) => one.url()));
        const answers = await Promise.all(
          urls.map((one) => fleet.send(one, undefined, 'GET', '/health/ready')),
        );
        return answers.every(({ status }) => status === 200);
      };
      const worked = async (): Promise<void> => {
        const [before, servedBefore] = [load.seen.answered, await served()];
        await until(
          'requests are answered, and the standby serves reads',
          async () =>
            load.seen.answered >= before + WORK_BETWEEN && (await served()) >= servedBefore + READS_BETWEEN,
          60_000,
        );
      };
      let fromStandbys = 0;
      load.start();
      reading.start();
      for (let round = 1; round <= ROUNDS; round++) {
        await worked();
        await pair.standby.query('SELECT pg_wal_replay_pause()');
        await sleep(LATE_MS);
        await pair.standby.query('SELECT pg_wal_replay_resume()');
        await worked();
        fromStandbys += await served();
        const release = await readsHeld();
        await pair.standby.kill();
        await release();
        await sleep(Math.random() * 1_000);
        await pair.standby.restart();
        await pair.followed();
        await worked();
        fromStandbys += await served();
        reading.primaryIs('away');
        await pair.primary.kill();
        await pair.promote();
        await until('all processes are ready', areReady, 60_000);
        reading.primaryIs('back');
        process.stderr.write(`round ${round} of ${ROUNDS}: ${reading.reads} reads\n`);
        // The promoted server is no standby any more, and there is no other one.
        await sleep(1_000);
        await pair.follow(replication);
      }
      await worked();
      fromStandbys += await served();
      await Promise.all([load.stop(), reading.stop()]);
      const database = await pair.primary.client();
      try {
        await delivered(database, load);
        const faults = faultsOfMixed(load.seen, await found(database, fleet, load, receiver.received));
        const lost = await reading.lost(database);
        const { seen } = load;
        const losses = Object.values(faults).reduce((sum, often) => sum + often, lost + reading.stale.length);
        report(FAULT, {
          trials: `${ROUNDS} of each`,
          checked: `${reading.reads} reads and ${reading.writes} writes of ${PARTNERS} partners; ${seen.cards.size} cards, ${seen.receipts.size} votes, ${seen.generations.reduce((a, b) => a + b)} syncs confirmed`,
          losses,
          figures: `${fromStandbys} reads or more by the standby; ${reading.failed.length} failed, ${reading.stale.length} stale; ${reading.refused} × 503 of these partners while there was no primary`,
        });
        expect(reading.failed).toEqual([]);
        expect(reading.stale).toEqual([]);
        expect(lost).toBe(0);
        expect(seen.others).toEqual([]);
        expect(faults).toEqual({});
        expect(fromStandbys).toBeGreaterThan(ROUNDS * READS_BETWEEN);
      } finally {
        await database.end();
      }
    },
    WHOLE ? 1_800_000 : 240_000,
  );

  it('negative control: without the position of the last write, stale reads are counted', async () => {
    const reading = await ReadingLoad.open(await started('without-position.cjs'), PARTNERS);
    open.push(reading);
    reading.start();
    await sleep(CONTROL_MS);
    await reading.stop();
    report(FAULT, {
      control: `reads that do not wait for the last write, ${CONTROL_MS / 1_000} s: ${reading.stale.length} of ${reading.reads} reads stale`,
    });
    expect(reading.stale.length).toBeGreaterThan(0);
  }, 120_000);
});
