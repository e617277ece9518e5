import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { Databases } from '../database/databases';
import { sqlState } from '../errors/sql-errors';
import { type Piece, WorkNotes } from '../database/work-notes';
import { Lifecycle } from '../ops/lifecycle';
import { LOGGER } from '../ops/logger';
import { Metrics } from '../ops/metrics';
import { PROCESS_NAME, type Reader } from '../ops/process-name';
import { Spans } from '../ops/spans';
import { type Beginning, SharedWork, type Sharing, type WorkOptions } from './shared-work';

/** Interval between two renewals of leases, in ms: three in the time of a lease. */
const RENEW_EVERY_MS = 3_000;

/** Processes that die while they run a piece, until it is put aside. */
const MOST_DEATHS = 2;

/** Time in ms for which a piece that a dead process has left has the process to itself. */
const QUIET_MS = 3_000;

interface Entered {
  readonly travail: string;
  readonly piece: Piece;
  readonly isLeft: boolean;
  readonly since: number;
}

/**
 * Shares out the recurring work of a worker by client, and puts aside pieces that end their process again and again.
 */
@Injectable()
export class WorkSharing implements Sharing, OnModuleDestroy {
  private readonly works: SharedWork[] = [];
  private readonly ended = new Map<string, { readonly travail: string; readonly piece: Piece }>();
  private ready: Promise<void> | undefined;
  private renewals: NodeJS.Timeout | undefined;
  private running = 0;
  private forgetting: Promise<void> | undefined;
  private stopping = false;
  /** The pieces of this process that run. */
  private readonly entered = new Map<string, Entered>();
  /** Time before which only pieces that dead processes have left may begin. */
  private quietUntil = 0;

  constructor(
    private readonly databases: Databases,
    private readonly notes: WorkNotes,
    @Inject(PROCESS_NAME) processName: Reader,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly lifecycle: Lifecycle,
    metrics: Metrics,
    private readonly spans: Spans,
  ) {
    if (processName !== 'worker') return;
    const description = 'Jobs that were put aside because they ended their process twice, by queue';
    metrics.gauge('mandat_put_aside', description, () => notes.countAside());
  }

  get isStopping(): boolean {
    return this.stopping || this.lifecycle.isStopping;
  }

  /** @param options of the work; its name is that of the metric, the log and the notes */
  of(options: WorkOptions): SharedWork {
    const work = new SharedWork(options, this);
    this.works.push(work);
    return work;
  }

  /** Begins nothing more. From now on a death of the process is no piece's fault. */
  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    if (this.running > 0) await this.notes.stopCounting().catch((error: unknown) => this.warn(error));
  }

  /** Waits for running pieces while the process stops. */
  async settled(): Promise<void> {
    await Promise.all(this.works.map((one) => one.settled()));
    clearInterval(this.renewals);
    await this.forgetEnded();
  }

  clientOf(tenantId: string): Promise<string> {
    return this.databases.clientOf(tenantId);
  }

  traced(travail: string, { tenantId }: Piece, work: () => Promise<unknown>): Promise<unknown> {
    const facts = { 'mandat.tenant.id': tenantId };
    return this.spans.run({ name: `work ${travail}`, kind: 'INTERNAL', facts }, work);
  }

  async noted(travail: string): Promise<{ readonly except: string[]; readonly left: Set<string> }> {
    await this.prepared();
    const noted = await this.notes.noted(travail);
    const ended = ({ tenantId, id }: Piece): boolean => this.ended.has(keyOf(travail, { tenantId, id }));
    const left = noted.filter((one) => one.state === 'left' && !ended(one));
    const except = noted.filter((one) => one.state !== 'left');
    return { except: except.map(({ id }) => id), left: new Set(left.map(({ id }) => id)) };
  }

  mayBegin(isLeft: boolean, isLong: boolean): boolean {
    const now = Date.now();
    const running = [...this.entered.values()];
    const isYoung = ({ since }: Entered): boolean => now - since < QUIET_MS;
    if (running.some((one) => one.isLeft && isYoung(one))) return false;
    if (!isLeft) return now >= this.quietUntil;
    if (isLong && running.some((one) => one.isLeft)) return false;
    if (!running.some(isYoung)) return true;
    this.quietUntil = now + QUIET_MS;
    return false;
  }

  enter(travail: string, piece: Piece, isLeft: boolean): () => void {
    const key = keyOf(travail, piece);
    this.entered.set(key, { travail, piece, isLeft, since: Date.now() });
    if (isLeft) this.quietUntil = 0;
    return () => void this.entered.delete(key);
  }

  async begin(travail: string, piece: Piece, isLeft: boolean, deaths = 0): Promise<Beginning> {
    await this.prepared();
    this.keepRenewing();
    if (isLeft) await this.countOthers(travail, piece, false);
    // Before the note, because the process may be asked to stop while it is written.
    this.running += 1;
    let counted: number | undefined;
    let isBegun = false;
    try {
      counted = isLeft ? await this.notes.resume(travail, piece) : undefined;
      isBegun = isLeft ? counted !== undefined : await this.notes.begin(travail, piece, deaths);
      if (isBegun && this.isStopping) await this.notes.count(travail, piece, false);
    } catch (error) {
      // The note may have been written although the answer was lost.
      await this.end(travail, piece);
      throw error;
    }
    if (!isBegun) {
      this.running -= 1;
      return 'elsewhere';
    }
    return counted !== undefined && counted >= MOST_DEATHS ? 'aside' : 'begun';
  }

  async end(travail: string, piece: Piece): Promise<void> {
    this.running -= 1;
    this.ended.set(keyOf(travail, piece), { travail, piece });
    await this.forgetEnded();
    if (this.entered.get(keyOf(travail, piece))?.isLeft) await this.countOthers(travail, piece, true);
  }

  async forget(travail: string, piece: Piece): Promise<void> {
    if ((await this.notes.resume(travail, piece)) !== undefined) await this.notes.end(travail, piece);
  }

  /** Sets whether a death counts for the other pieces that dead processes have left: not while a later one begins beside them. */
  private async countOthers(travail: string, piece: Piece, counts: boolean): Promise<void> {
    for (const [key, other] of this.entered)
      if (other.isLeft && key !== keyOf(travail, piece))
        await this.notes
          .count(other.travail, other.piece, counts)
          .catch((error: unknown) => this.warn(error));
  }

  async putAside(
    travail: string,
    piece: Piece,
    tell: () => Promise<void>,
    details: object = {},
  ): Promise<void> {
    try {
      await tell();
      await this.notes.putAside(travail, piece);
    } catch (error) {
      await this.notes.release(travail, piece).catch(() => undefined);
      throw error;
    } finally {
      this.running -= 1;
    }
    this.logger.error(
      { queue: travail, tenantId: piece.tenantId, id: piece.id, ...details },
      'a job has ended its process twice and is put aside (docs/operations.md, "Work that was put aside")',
    );
  }

  private prepared(): Promise<void> {
    this.ready ??= this.notes.takeOver().catch((error: unknown) => {
      this.ready = undefined;
      throw error;
    });
    return this.ready;
  }

  private keepRenewing(): void {
    this.renewals ??= setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();
  }

  private async renew(): Promise<void> {
    await this.forgetEnded();
    if (this.running > 0) await this.notes.renew().catch((error: unknown) => this.warn(error));
  }

  /** Runs one call at a time, because a second one would remove the note of a piece that has begun again. */
  private forgetEnded(): Promise<void> {
    this.forgetting ??= this.forgetAll().finally(() => (this.forgetting = undefined));
    return this.forgetting;
  }

  private async forgetAll(): Promise<void> {
    for (const [key, { travail, piece }] of this.ended) {
      try {
        await this.notes.end(travail, piece);
        this.ended.delete(key);
      } catch (error) {
        return this.warn(error);
      }
    }
  }

  private warn(error: unknown): void {
    this.logger.warn({ sqlState: sqlState(error) }, 'notes of running work are delayed');
  }
}

function keyOf(travail: string, { tenantId, id }: Piece): string {
  return `${travail} ${tenantId} ${id}`;
}
