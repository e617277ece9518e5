import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { dataUrl, pngOf } from '../adhesion/support/png';
import { until } from '../webhooks/support/receiver';
import { WHOLE } from './support/effort';
import { type Answer, Fleet, type FleetSpace } from './support/fleet';
import { OwnPostgres } from './support/own-postgres';
import { Prober } from './support/prober';
import { report } from './support/report';
import { Traffic } from './support/traffic';

const MB = 2 ** 20;
const READY_MS = 5_000;
/** Tolerance of the assertions beyond the limits of the trial, because the machine may be busy with other tests. */
const SLACK = 1.5;
const FILLED_MS = 4_000;

/** A small mounted disk, which needs root. */
class Disk {
  private constructor(readonly path: string) {}

  static async mount(megabytes: number): Promise<Disk> {
    const path = await mkdtemp(join(tmpdir(), 'mandat-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', path], {
      stdio: 'pipe',
    });
    return new Disk(path);
  }

  static canBeMounted(): boolean {
    const path = mkdtempSync(join(tmpdir(), 'mandat-disk-'));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]);
    if (status === 0) spawnSync('umount', [path]);
    rmSync(path, { recursive: true });
    return status === 0;
  }

  /** Fills the disk except for a little space. */
  fill(leave = 0): void {
    const { bavail, bsize } = statfsSync(this.path);
    const ballast = Buffer.alloc(Math.max(0, bavail * bsize - leave));
    try {
      writeFileSync(join(this.path, 'ballast'), ballast, { flag: 'a' });
    } catch (error) {
      // The database used the rest first: the disk is full.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  free(): void {
    rmSync(join(this.path, 'ballast'), { force: true });
  }

  async unmount(): Promise<void> {
    // The last process of the server may still be ending.
    await until('the disk is unmounted', () => spawnSync('umount', [this.path]).status === 0, 10_000);
    await rm(this.path, { recursive: true });
  }
}

/** A database, an API and a worker. The database is on a small disk, in whole or in part. */
class Place {
  private constructor(
    readonly disk: Disk,
    readonly postgres: OwnPostgres,
    readonly fleet: Fleet,
    private readonly walFolder: string | undefined,
  ) {}

  static async prepare(disk: Disk, hasWalElsewhere: boolean): Promise<Place> {
    // The log keeps no spare files, so it needs space for each next one.
    const settings = {
      max_wal_size: '64MB',
      min_wal_size: '32MB',
      wal_recycle: 'off',
      shared_buffers: '32MB',
    };
    const dataDir = join(disk.path, 'data');
    const postgres = await OwnPostgres.start(settings, dataDir);
    let walFolder: string | undefined;
    if (hasWalElsewhere) {
      await postgres.stop();
      walFolder = await mkdtemp(join(tmpdir(), 'mandat-wal-'));
      const wal = join(dataDir, 'cluster/pg_wal');
      // With PostgreSQL's account, which owns the moved files.
      execFileSync('chmod', ['755', walFolder]);
      execFileSync('cp', ['-a', wal, join(walFolder, 'pg_wal')]);
      await rm(wal, { recursive: true });
      await symlink(join(walFolder, 'pg_wal'), wal);
      await postgres.restart();
    }
    return new Place(disk, postgres, await Fleet.start(postgres.url, { workers: 1 }), walFolder);
  }

  async stop(): Promise<void> {
    await this.fleet.stop();
    await this.postgres.stop();
    if (this.walFolder) await rm(this.walFolder, { recursive: true });
  }

  /** Uses a new connection to look for the writes that PostgreSQL has acknowledged. */
  async asked<T>(ask: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.postgres.client();
    return ask(client).finally(() => client.end());
  }

  async answers(): Promise<boolean> {
    return this.asked((client) => client.query('SELECT 1')).then(
      () => true,
      () => false,
    );
  }
}

interface Seen {
  readonly traffic: Traffic;
  readonly prober: Prober;
  readonly missing: string[];
  readonly madeThoughDenied: string[];
  readonly acknowledged: number;
  /** Milliseconds from the time when there was space, and a database. */
  readonly readyMs: number;
  /** Milliseconds from the time when the disk was full; Infinity if all processes were always ready. */
  readonly notReadyMs: number;
  readonly hadToBeStarted: boolean;
  readonly isAlive: boolean;
  readonly states: ReadonlySet<unknown>;
}

/** Runs load while the disk fills up and is full, and after space was freed. */
async function fillUp(place: Place, endsLog = false): Promise<Seen> {
  const { disk, fleet, postgres } = place;
  const image = dataUrl(pngOf(100_000));
  const traffic = await place.asked((client) => Traffic.prepare(fleet, client, { image, synced: 500 }));
  const prober = new Prober([...fleet.apis, ...fleet.workers]);
  await prober.begin();
  traffic.begin();
  await sleep(1_000);
  disk.fill(8 * MB);
  await until('the disk is full', () => traffic.refusals.length > 0, 60_000);
  disk.fill();
  const fullAt = performance.now();
  // The next file of the log is needed now, and not when this one is full.
  if (endsLog) await place.asked((client) => client.query('SELECT pg_switch_wal()')).catch(() => undefined);
  await sleep(FILLED_MS);
  disk.free();
  let hadToBeStarted = false;
  // The database recovers by itself if it still runs. If it has ended, an operator starts it.
  await until('the database answers', () => place.answers(), 5_000).catch(async () => {
    hadToBeStarted = true;
    await postgres.stop();
    await postgres.restart();
  });
  const restored = performance.now();
  await sleep(3_000);
  await traffic.end();
  await prober.end();
  const verdict = await place.asked((client) => traffic.verdict(client));
  const api = await fleet.apis[0]!.running();
  const states = new Set(api.lines().map(({ sqlState }) => sqlState));
  const readyMs = prober.readyAfter(restored);
  const notReadyMs = prober.notReadyAfter(fullAt) ?? Infinity;
  const isAlive = api.isRunning;
  return { traffic, prober, ...verdict, readyMs, notReadyMs, hadToBeStarted, isAlive, states };
}

function tell(fault: string, all: readonly Seen[]): void {
  const sum = (of: (one: Seen) => number): number => all.reduce((total, one) => total + of(one), 0);
  report(fault, {
    trials: String(all.length),
    checked: `${sum(({ traffic }) => traffic.count)} requests, ${sum((one) => one.acknowledged)} acknowledged writes`,
    losses: sum((one) => one.missing.length + one.madeThoughDenied.length + one.traffic.wrong.length),
    figures: all
      .map(({ traffic, prober, readyMs, hadToBeStarted }) => {
        const { read = 0, list = 0 } = traffic.refused;
        return `answers ${JSON.stringify(traffic.statuses)}, reads refused ${read + list}, slowest ${traffic.slowestMs} ms; ${prober.livenessFailures} not live; ready again after ${readyMs} ms${hadToBeStarted ? ', PostgreSQL restarted by the trial' : ''}`;
      })
      .join(' / '),
  });
}

function expectSound(seen: Seen): void {
  const { traffic, prober } = seen;
  expect(traffic.wrong).toEqual([]);
  expect(seen.acknowledged).toBeGreaterThan(50);
  expect(seen.missing).toEqual([]);
  expect(seen.madeThoughDenied).toEqual([]);
  expect(traffic.refusals.length).toBeGreaterThan(0);
  expect(seen.isAlive).toBe(true);
  expect(prober.livenessFailures).toBe(0);
  expect(seen.readyMs).toBeLessThan(READY_MS * SLACK);
}

const TIMES = WHOLE ? 5 : 1;

const canMount = Disk.canBeMounted();
if (!canMount) process.stderr.write('Trials of full disks are skipped: only root may mount a small disk.\n');

(canMount ? describe : describe.skip)('A full disk', () => {
  jest.setTimeout(WHOLE ? 600_000 : 180_000);

  let place: Place | undefined;
  let disk: Disk | undefined;
  const prepare = async (megabytes: number, hasWalElsewhere: boolean): Promise<Place> => {
    disk = await Disk.mount(megabytes);
    place = await Place.prepare(disk, hasWalElsewhere);
    return place;
  };
  afterEach(async () => {
    await place?.stop();
    await disk?.unmount();
    place = undefined;
    disk = undefined;
  });

  it('data full, log not: writes are rejected, reads continue, and all works after space is freed', async () => {
    const ours = await prepare(300, true);
    const all: Seen[] = [];
    for (let at = 0; at < TIMES; at++) all.push(await fillUp(ours));
    tell('Disk of the data full', all);
    for (const seen of all) {
      expectSound(seen);
      expect(seen.hadToBeStarted).toBe(false);
      const { read = 0, list = 0 } = seen.traffic.refused;
      expect(read + list).toBe(0);
      expect(seen.states).toContain('53100');
      expect([...seen.traffic.details]).toContainEqual(expect.stringMatching(/no room.*Nothing was changed/));
    }
    // The check reports a deleted card.
    const { traffic } = all.at(-1)!;
    const [card] = traffic.cards;
    await ours.asked(async (client) => {
      await client.query('SET session_replication_role = replica');
      await client.query('DELETE FROM adhesion WHERE id_unique = $1', [card]);
    });
    const { missing } = await ours.asked((client) => traffic.verdict(client));
    expect(missing).toEqual([card]);
    report('Disk of the data full', {
      control: `of ${traffic.cards.size} cards one was deleted by the trial: ${missing.length} missing`,
    });
  });

  it('data full: reads continue although the use of a key and its requests cannot be recorded', async () => {
    const ours = await prepare(300, true);
    const { disk, fleet } = ours;
    const url = await fleet.apis[0]!.url();
    const unused = await Promise.all(Array.from({ length: 5 }, () => fleet.space()));
    disk.fill();
    const snapshot = await ours.postgres.client();
    await ours.asked(async (client) => {
      // An open snapshot keeps old row versions, so each change takes space until there is none.
      await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await snapshot.query('SELECT count(*) FROM cle');
      for (const text of [
        'UPDATE cle SET dernier_usage = dernier_usage',
        'INSERT INTO rate_window VALUES (gen_random_uuid(), now(), 1)',
      ]) {
        const repeat = async (): Promise<void> => {
          for (;;) await client.query(text);
        };
        await expect(repeat()).rejects.toMatchObject({ code: '53100' });
      }
    });
    const read = ({ partner }: FleetSpace) => fleet.send(url, partner, 'GET', '/b2b/v1/employe');
    const write = ({ partner }: FleetSpace) =>
      fleet.send(url, partner, 'POST', '/b2b/v1/employe', { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' });
    const reads = await Promise.all(unused.map(read));
    const writes = await Promise.all(unused.map(write));
    await snapshot.query('COMMIT');
    await snapshot.end();
    disk.free();
    const after = await Promise.all(unused.map(write));
    const statuses = (answers: readonly Answer[]): string => answers.map(({ status }) => status).join(' ');
    report('Keys first used on a full disk', {
      trials: '1',
      checked: `${reads.length} reads, as many writes during and after`,
      losses: reads.filter(({ status }) => status !== 200).length,
      figures: `reads ${statuses(reads)}, writes ${statuses(writes)}, after space was freed ${statuses(after)}`,
    });
    expect(reads.map(({ status }) => status)).toEqual(unused.map(() => 200));
    expect(reads[0]!.headers.ratelimit).toBeDefined();
    expect(after.map(({ status }) => status)).toEqual(
      writes.map(({ status }) => (status === 201 ? 409 : 201)),
    );
  });

  it('data and log full: the database ends, and all acknowledged writes are stored when it is back', async () => {
    const ours = await prepare(300, false);
    const all: Seen[] = [];
    for (let at = 0; at < TIMES; at++) all.push(await fillUp(ours, true));
    tell('Disk of data and log full', all);
    for (const seen of all) {
      expectSound(seen);
      // The database was stopped.
      expect(seen.notReadyMs).toBeLessThan(Infinity);
    }
  });
});
