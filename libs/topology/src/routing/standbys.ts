import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { leased } from '#platform/database/entered-query';
import { type ConnectionContext, Database } from '#platform/database/database';
import type { Reading, Replica } from '#platform/database/databases';
import { queryEntered } from '#platform/database/entered-query';
import type { Statement } from '#platform/database/one-trip';
import { ACCESS_ROLE } from '#platform/database/roles';
import { endsConnection } from '#platform/errors/sql-errors';
import { SharedCalls } from './shared-calls';

/** The least and the longest interval of the checks of standbys, in ms. Four fit into the lag that is permitted. */
const LEAST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 250;

/** The row of all spaces. A standby serves reads only after it has replayed the log up to this row's position. */
const ALL = '00000000-0000-0000-0000-000000000000';

/** A position of the log as a number. All positions below 8 PiB are exact. */
const bytes = (lsn: string): string => `(${lsn} - '0/0')::float8`;

/**
 * The position of the primary. The row of all spaces is missing after a crash, a promotion or a restore, because the table is
 * unlogged. It then gets the present position, which is after all writes whose positions were lost.
 */
const LOOK_AT_PRIMARY: Statement = {
  name: 'standbys_primary',
  text: `WITH begun AS (
      INSERT INTO derniere_ecriture (espace, position) VALUES ('${ALL}', pg_current_wal_insert_lsn()) ON CONFLICT DO NOTHING
    ) SELECT ${bytes('pg_current_wal_insert_lsn()')} AS position, system_identifier AS system,
      ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int AS timeline FROM pg_control_system()`,
  values: [],
};

/** The position of a standby; null after its promotion. */
const LOOK_AT_STANDBY = {
  name: 'standbys_standby',
  text: `SELECT CASE WHEN pg_is_in_recovery() THEN ${bytes('pg_last_wal_replay_lsn()')} END AS position,
      s.system_identifier AS system, greatest(r.min_recovery_end_timeline, c.timeline_id) AS timeline
    FROM pg_control_system() s, pg_control_recovery() r, pg_control_checkpoint() c`,
};

/** Positions of spaces. One beyond the end of the log is from another cluster, before a dump was restored. */
const FIND = {
  name: 'standbys_find',
  text: `SELECT espace, ${bytes('position')} AS position FROM derniere_ecriture
    WHERE espace = ANY ($1) AND position <= pg_current_wal_insert_lsn()`,
};

/**
 * Stores that the spaces `$1` have written and committed. The position is read under the lock of the row, so a later one always
 * replaces an earlier one.
 */
export const STORE_WRITES = {
  name: 'standbys_store',
  text: `INSERT INTO derniere_ecriture (espace, position) SELECT espace, pg_current_wal_insert_lsn() FROM unnest($1::uuid[]) espace
    ON CONFLICT (espace) DO UPDATE SET position = pg_current_wal_insert_lsn()`,
};

interface Look {
  readonly position: number | null;
  readonly system: string;
  readonly timeline: number;
}

/** A standby, as it was when it was last looked at. */
export class Standby implements Replica {
  /** All that was committed before this moment is on the standby. */
  private freshAt = -Infinity;
  private position = -Infinity;
  private isLooking = false;
  private doubtedAt = -Infinity;
  private wasUsable: boolean | undefined;
  readonly database: Database;
  private readonly lagMs: number;
  private readonly logger: Logger;

  constructor(
    url: string,
    private readonly name: string,
    context: ConnectionContext,
  ) {
    const { config, logger, metrics } = context;
    this.database = new Database(url, name, context);
    this.lagMs = config.standbyLagMs;
    this.logger = logger;
    // A server that has restarted may have replayed less of the log than before.
    this.database.onLoss((error) => this.doubt(error));
    const description = 'Maximum time by which a standby may be behind its primary';
    metrics.gauge('mandat_database_standby_behind_seconds', description, () => [
      [{ standby: name }, (performance.now() - this.freshAt) / 1_000],
    ]);
  }

  /** Whether it is at most as far behind as permitted, and has replayed the log up to a position. */
  serves(position: number): boolean {
    return this.isUsable && this.position >= position;
  }

  private get isUsable(): boolean {
    return performance.now() - this.freshAt <= this.lagMs && this.freshAt > this.doubtedAt;
  }

  /** A lost connection keeps it from reads until it has been looked at. */
  doubt(error: unknown): void {
    if (endsConnection(error)) this.doubtedAt = performance.now();
    this.report((error as Error).message);
  }

  /** @param primary positions of the primary, the newest last */
  async look(primary: readonly Sample[]): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.database.check();
      const { rows } = await leased(this.database.pools.access, (client) =>
        client.query<Look>(LOOK_AT_STANDBY),
      );
      const { position, system, timeline } = rows[0]!;
      const newest = primary.at(-1)!;
      const follows = position !== null && system === newest.system && timeline === newest.timeline;
      this.position = follows ? position : -Infinity;
      const reached = primary.findLast((sample) => sample.position <= this.position);
      this.freshAt = reached?.at ?? -Infinity;
    } catch (error) {
      this.doubt(error);
    } finally {
      this.isLooking = false;
      this.report();
    }
  }

  /** Logs a change. */
  private report(reason?: string): void {
    if (this.isUsable === this.wasUsable) return;
    this.wasUsable = this.isUsable;
    const fields = { standby: this.name, reason };
    if (this.wasUsable) this.logger.info(fields, 'a standby serves reads');
    else this.logger.warn(fields, 'a standby is away, late or promoted: the primary serves its reads');
  }
}

/** A position of the primary, and a moment before it. */
interface Sample {
  readonly at: number;
  readonly position: number;
  readonly system: string;
  readonly timeline: number;
}

/**
 * The standbys of a database (docs/adr/0040). A read of a space may go to a standby that has replayed the log up to the
 * space's last write. The positions of these writes are in the database itself, so all processes know them.
 */
export class Standbys {
  private readonly finds = new SharedCalls((spaces) => this.find([...spaces, ALL]));
  private readonly stores = new SharedCalls((spaces) => this.store(spaces));
  private all: readonly Standby[] = [];
  private timer: NodeJS.Timeout | undefined;
  private samples: readonly Sample[] = [];
  private isLooking = false;

  private readonly lagMs: number;

  constructor(
    private readonly primary: Database,
    private readonly urls: readonly string[],
    private readonly context: ConnectionContext,
  ) {
    this.lagMs = context.config.standbyLagMs;
  }

  /** Returns a standby that has all writes of the space that were answered by now; undefined if there is none. */
  async choose(space: string): Promise<Standby | undefined> {
    this.watch();
    if (!this.all.some((standby) => standby.serves(-Infinity))) return undefined;
    const positions = await this.finds.with(space).catch(() => undefined);
    const common = positions?.get(ALL);
    if (common === undefined) return undefined;
    const position = Math.max(common, positions?.get(space) ?? 0);
    // Always the same one, if it can serve: another one may be further behind.
    const first = Number.parseInt(space.slice(-4), 16) % this.all.length;
    return [...this.all.slice(first), ...this.all.slice(0, first)].find((one) => one.serves(position));
  }

  /**
   * Stores that a space has written and committed. If this fails, waits until every standby that may serve reads has the write.
   */
  async wrote(space: string): Promise<void> {
    await this.stores.with(space).catch(() => sleep(this.lagMs));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.all.map(({ database }) => database.close()));
  }

  /** Looks at the standbys from the first read on. Processes without reads need no connections to them. */
  private watch(): void {
    if (this.timer) return;
    const prefix = this.primary.cell === undefined ? '' : `${this.primary.cell} `;
    this.all = this.urls.map((url, index) => new Standby(url, `${prefix}standby ${index + 1}`, this.context));
    const interval = Math.min(LONGEST_LOOK_MS, Math.max(LEAST_LOOK_MS, this.lagMs / 4));
    this.timer = setInterval(() => void this.look(), interval).unref();
    void this.look();
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    const at = performance.now();
    try {
      const [row] = await this.ask<Omit<Sample, 'at'>>('off', LOOK_AT_PRIMARY);
      const isSame = this.samples.at(-1)?.timeline === row!.timeline;
      const kept = isSame ? this.samples.filter((sample) => at - sample.at <= this.lagMs) : [];
      this.samples = [...kept, { ...row!, at }];
      for (const standby of this.all) void standby.look(this.samples);
    } catch {
      // The standbys become late by themselves.
    } finally {
      this.isLooking = false;
    }
  }

  private async find(spaces: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.ask<{ espace: string; position: number }>('on', { ...FIND, values: [spaces] });
    return new Map(rows.map(({ espace, position }) => [espace, position]));
  }

  private async store(spaces: readonly string[]): Promise<void> {
    await this.ask('off', { ...STORE_WRITES, values: [spaces] });
  }

  private ask<R extends object>(readOnly: 'on' | 'off', statement: Statement): Promise<R[]> {
    return leased(
      this.primary.pools.access,
      async (client) => (await queryEntered<R>(client, [ACCESS_ROLE, ALL, readOnly, ''], statement)).rows,
    );
  }
}

/** The reads of one request. They all use one standby, until the request changes to the primary. */
export class StandbyReading implements Reading {
  private chosen: Promise<Standby | undefined> | undefined;
  private isOver = false;

  constructor(private readonly standbys: ReadonlyMap<Database, Standbys>) {}

  async replica(primary: Database, space: string): Promise<Standby | undefined> {
    const standbys = this.standbys.get(primary);
    if (this.isOver || !standbys) return undefined;
    const chosen = await (this.chosen ??= standbys.choose(space));
    if (this.isOver) return undefined;
    if (!chosen?.serves(-Infinity)) this.end();
    return this.isOver ? undefined : chosen;
  }

  end(): void {
    this.isOver = true;
  }
}
