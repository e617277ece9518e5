import { Inject, Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { sqlState } from '#platform/database/sql-errors';
import { LOGGER } from '#platform/ops/logger';
import { type HeldJob, JobQueue } from '#platform/jobs/job-queue';
import { Clock } from '#platform/ops/clock';
import { nextAttempt, parseRetryAfter } from '../domain/retry-schedule';
import type { Tentative } from '../domain/webhook.types';
import { type DueLivraison, LivraisonRepository, type Outcome } from '../persistence/livraison.repository';
import { DeliveryMetrics } from './delivery-metrics';
import { envelopeOf } from './envelope';
import { Lane, MOST_HELD_OF_ONE } from './lane';
import { LIVRAISON_QUEUE, type LivraisonJob } from './livraison-jobs';
import { type Ended, OutcomeRecorder } from './outcome-recorder';
import { type Answer, Sender } from './sender';
import { SigningKeys } from './signing-keys';

/** Jobs that one process holds at once; each costs a connection at most. */
const MOST_HELD = 10_000;

/** Data of events that one process holds, about: a card may have half a megabyte of them. */
const MOST_HELD_CHARACTERS = 64 * 1_048_576;

/** Endpoints and deliveries that were read longer ago are read again before they are attempted. */
const STALE_MS = 1_000;

/** Jobs that are asked for at once. */
const BATCH = 256;

/** Pause after an empty fetch, in ms. */
const IDLE_MS = 100;
const RETRY_MS = 1_000;

/** Jobs whose lease is not renewed for 10 s are given to another worker. */
const KEEP_MS = 3_000;

type Job = HeldJob<LivraisonJob>;

/** A scheduled attempt. */
export interface Attempt {
  readonly job: Job;
  readonly due: DueLivraison;
  readonly readAt: number;
}

/**
 * Takes jobs, makes the attempts that they name, some at once for each endpoint, and hands on what became of them. Any
 * number of processes share the work.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly lanes = new Map<string, Lane<Attempt>>();
  private readonly held = new Set<string>();
  private readonly heldOf = new Map<string, number>();
  private heldCharacters = 0;
  private isStopping = false;
  private loop: Promise<void> = Promise.resolve();
  private keeper: NodeJS.Timeout | undefined;
  private wake: () => void = () => undefined;

  constructor(
    private readonly queue: JobQueue,
    private readonly livraisons: LivraisonRepository,
    private readonly keys: SigningKeys,
    private readonly recorder: OutcomeRecorder,
    private readonly sender: Sender,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.loop = this.run();
    this.keeper = setInterval(() => {
      for (const [webhookId, lane] of this.lanes) if (lane.isForgettable) this.lanes.delete(webhookId);
      this.queue.keep(LIVRAISON_QUEUE, [...this.held]).catch((error: unknown) => this.warn(error));
    }, KEEP_MS);
  }

  /** Stops fetching, gives back jobs that were not begun, and waits until running attempts are recorded. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.loop;
    await this.giveBack(this.letGo([...this.lanes.values()].flatMap((lane) => lane.drop())));
    await Promise.all([...this.lanes.values()].map((lane) => lane.settled()));
    await this.recorder.settled();
    clearInterval(this.keeper);
    await this.sender.close();
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      const hasRoom = this.heldCharacters < MOST_HELD_CHARACTERS;
      const wanted = hasRoom ? Math.min(BATCH, MOST_HELD - this.held.size) : 0;
      try {
        const taken = wanted > 0 ? await this.take(wanted) : 0;
        if (taken < wanted || wanted === 0) await this.pause(IDLE_MS);
      } catch (error) {
        this.warn(error);
        await this.pause(RETRY_MS);
      }
    }
  }

  private async take(wanted: number): Promise<number> {
    // An endpoint is given more once half of what it holds is done: few large fetches cost less than many small ones.
    const full = [...this.lanes]
      .filter(([webhookId, lane]) => (this.heldOf.get(webhookId) ?? 0) > lane.refillAt)
      .map(([webhookId]) => webhookId);
    const jobs = await this.queue.take<LivraisonJob>(LIVRAISON_QUEUE, wanted, MOST_HELD_OF_ONE, full);
    for (const job of jobs) this.hold(job, 1);
    const byTenant = Map.groupBy(jobs, ({ data }) => data.tenantId);
    await Promise.all([...byTenant].map(([tenantId, ofOne]) => this.begin(tenantId, ofOne)));
    return jobs.length;
  }

  private async begin(tenantId: string, jobs: readonly Job[]): Promise<void> {
    try {
      const rows = await this.livraisons.due(
        tenantId,
        jobs.map(({ data }) => data.livraisonId),
      );
      const byId = new Map(rows.map((row) => [row.id, row]));
      const excess = jobs.filter((job) => !this.beginOne(job, byId.get(job.data.livraisonId)));
      await this.giveBack(excess);
    } catch (error) {
      this.warn(error);
      await this.giveBack(jobs);
    }
  }

  /** @returns false for a job more than may be held for its endpoint */
  private beginOne(job: Job, due: DueLivraison | undefined): boolean {
    const over = reasonToEnd(job, due);
    if (over) this.end(job, over);
    else {
      const lane = this.laneOf(job.data.webhookId);
      if (lane.count >= lane.capacity) return false;
      this.heldCharacters += due!.data.length;
      lane.push({ job, due: due!, readAt: performance.now() });
    }
    return true;
  }

  private laneOf(webhookId: string): Lane<Attempt> {
    let lane = this.lanes.get(webhookId);
    if (!lane) {
      lane = new Lane((attempt) => this.attempt(attempt));
      this.lanes.set(webhookId, lane);
    }
    return lane;
  }

  /** @returns whether the receiver answered in time */
  private async attempt({ job, due: read, readAt }: Attempt): Promise<boolean> {
    const { tenantId, webhookId } = job.data;
    this.heldCharacters -= read.data.length;
    let due: DueLivraison | undefined = read;
    let began: Date;
    const start = performance.now();
    let answer: Answer;
    try {
      // Behind a slow receiver it may have waited for minutes, and the endpoint may be another one by now.
      if (start - readAt > STALE_MS) [due] = await this.livraisons.due(tenantId, [job.data.livraisonId]);
      const over = reasonToEnd(job, due);
      if (over) {
        this.end(job, over);
        return true;
      }
      due = due!;
      began = this.clock.now();
      const { headers, body } = envelopeOf(due, this.keys.at(began, tenantId, webhookId, due.webhook), began);
      answer = await this.sender.post(due.webhook.url, headers, body);
    } catch (error) {
      // A fault of ours, as a changed SECRETS_KEY is: the receiver is not to blame, and the job stays.
      this.logger.error(
        { tenantId, webhookId, error: (error as Error).name, sqlState: sqlState(error) },
        'a delivery could not be made',
      );
      await wait(RETRY_MS);
      await this.giveBack([job]);
      return true;
    }
    const at = this.clock.now();
    const isFirst = due.tour === 0 && due.essais === 0;
    this.metrics.note(answer, isFirst ? at.getTime() - due.date.getTime() : undefined);
    const tentative = {
      date: began.toISOString(),
      statut: answer.statut,
      dureeMs: Math.round(performance.now() - start),
      reponse: answer.reponse,
    };
    this.end(job, { outcome: outcomeOf(due, answer, tentative, at), tried: due.webhook }, at);
    const lane = this.laneOf(webhookId);
    // What waits behind it would be held for as long as the endpoint hangs, or sent to one that wants nothing more.
    const unwanted = [
      ...(answer.timedOut ? lane.slowDown() : []),
      ...(answer.statut === 410 ? lane.drop() : []),
    ];
    await this.giveBack(this.letGo(unwanted));
    return !answer.timedOut;
  }

  private end(job: Job, what: Pick<Ended, 'outcome' | 'tried'>, at = this.clock.now()): void {
    const { tenantId, webhookId } = job.data;
    const recorded = (): void => {
      this.hold(job, -1);
      this.wake();
    };
    this.recorder.push({ jobId: job.id, tenantId, webhookId, at, recorded, ...what });
  }

  /** Attempts that will not be made by this process. */
  private letGo(attempts: readonly Attempt[]): Job[] {
    for (const { due } of attempts) this.heldCharacters -= due.data.length;
    return attempts.map(({ job }) => job);
  }

  private async giveBack(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return;
    try {
      await this.queue.giveBack(
        LIVRAISON_QUEUE,
        jobs.map(({ id }) => id),
      );
    } catch (error) {
      // Their leases are no longer renewed, so another worker takes them like those of a dead process.
      this.warn(error);
    }
    for (const job of jobs) this.hold(job, -1);
  }

  /** Counts a job as held, or no longer. */
  private hold({ id, data: { webhookId } }: Job, by: 1 | -1): void {
    if (by === 1) this.held.add(id);
    else this.held.delete(id);
    const count = (this.heldOf.get(webhookId) ?? 0) + by;
    if (count > 0) this.heldOf.set(webhookId, count);
    else this.heldOf.delete(webhookId);
  }

  /** Waits, until it is woken at the latest. */
  private pause(ms: number): Promise<void> {
    if (this.isStopping) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private warn(error: unknown): void {
    this.logger.warn({ sqlState: sqlState(error) }, 'deliveries are held up and will be tried again');
  }
}

/** Why a job ends without an attempt, if it does. */
function reasonToEnd(job: Job, due: DueLivraison | undefined): Pick<Ended, 'outcome'> | undefined {
  // The delivery is gone, over, or another turn's by now.
  if (!due || due.etat !== 'EnAttente' || due.tour !== job.data.tour) return {};
  return due.webhook.takes(due.type)
    ? undefined
    : { outcome: { id: due.id, tour: due.tour, etat: 'Annulee' } };
}

function outcomeOf(due: DueLivraison, answer: Answer, tentative: Tentative, at: Date): Outcome {
  const { id, tour } = due;
  if (answer.statut !== null && answer.statut >= 200 && answer.statut < 300)
    return { id, tour, etat: 'Reussie', tentative };
  const next = nextAttempt(due.essais + 1, at, parseRetryAfter(answer.retryAfter, at), Math.random());
  return next ? { id, tour, etat: 'EnAttente', next, tentative } : { id, tour, etat: 'Echouee', tentative };
}
