import { Inject, Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { sqlState } from '#platform/database/sql-errors';
import { LOGGER } from '#platform/ops/logger';
import { JobQueue, type LeasedJob } from '#platform/jobs/job-queue';
import { QueueConsumer } from '#platform/jobs/queue-consumer';
import { Clock } from '#platform/ops/clock';
import { nextAttempt, parseRetryAfter } from '../domain/retry-schedule';
import type { Tentative } from '../domain/webhook.types';
import { type DueLivraison, LivraisonRepository, type Outcome } from '../persistence/livraison.repository';
import { DeliveryMetrics } from './delivery-metrics';
import { EndpointQueue, MOST_LEASED as MOST_LEASED_OF_ENDPOINT } from './endpoint-queue';
import { envelopeOf } from './envelope';
import { LIVRAISON_QUEUE, type LivraisonJob } from './livraison-jobs';
import { type Ended, OutcomeRecorder } from './outcome-recorder';
import { type Answer, Sender } from './sender';
import { SigningKeys } from './signing-keys';

/** Jobs that one process leases; each needs at most one connection. */
const MOST_LEASED = 10_000;

/** Event data that one process loads, in characters, approximately: one card may have half a megabyte of it. */
const MOST_CHARACTERS = 64 * 1_048_576;

/** Endpoints and deliveries that were read longer ago, in ms, are read again before the attempt. */
const STALE_MS = 1_000;

/** Maximum jobs of one fetch. */
const BATCH = 256;

/** Pause after a fetch that found less than it asked for, in ms. */
const IDLE_MS = 100;
const RETRY_MS = 1_000;

/** Jobs whose lease is not renewed for 10 s are given to another worker. */
const RENEW_EVERY_MS = 3_000;

type Job = LeasedJob<LivraisonJob>;

/** A scheduled attempt. */
export interface Attempt {
  readonly job: Job;
  readonly due: DueLivraison;
  readonly readAt: number;
}

/**
 * Takes jobs, makes the attempts that they name, several at a time for each endpoint, and passes the results on. Any number
 * of processes share the work.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly consumer: QueueConsumer;
  private readonly endpoints = new Map<string, EndpointQueue<Attempt>>();
  private readonly leased = new Set<string>();
  private readonly leasedOf = new Map<string, number>();
  private characters = 0;

  constructor(
    private readonly queue: JobQueue,
    private readonly livraisons: LivraisonRepository,
    private readonly keys: SigningKeys,
    private readonly recorder: OutcomeRecorder,
    private readonly sender: Sender,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.consumer = new QueueConsumer(queue, LIVRAISON_QUEUE, logger, {
      fetch: () => this.fetch(),
      renew: () => this.renew(),
      renewEveryMs: RENEW_EVERY_MS,
      failure: 'deliveries are delayed and will be tried again',
    });
  }

  onApplicationBootstrap(): void {
    this.consumer.start();
  }

  /** Stops fetching, gives back jobs that were not begun, and waits until running attempts are recorded. */
  async onModuleDestroy(): Promise<void> {
    await this.consumer.stop();
    await this.unload([...this.endpoints.values()].flatMap((endpoint) => endpoint.drop()));
    await Promise.all([...this.endpoints.values()].map((endpoint) => endpoint.settled()));
    await this.recorder.settled();
    this.consumer.close();
    await this.sender.close();
  }

  private async renew(): Promise<void> {
    for (const [id, endpoint] of this.endpoints) if (endpoint.isDisposable) this.endpoints.delete(id);
    await this.queue.keep(LIVRAISON_QUEUE, [...this.leased]);
  }

  private async fetch(): Promise<number> {
    const hasMemory = this.characters < MOST_CHARACTERS;
    const wanted = hasMemory ? Math.min(BATCH, MOST_LEASED - this.leased.size) : 0;
    const taken = wanted > 0 ? await this.take(wanted) : 0;
    return taken < wanted || wanted === 0 ? IDLE_MS : 0;
  }

  private async take(wanted: number): Promise<number> {
    // Refill an endpoint when half of its leased jobs have ended: few large fetches cost less than many small ones.
    const full = [...this.endpoints]
      .filter(([webhookId, endpoint]) => (this.leasedOf.get(webhookId) ?? 0) > endpoint.refillAt)
      .map(([webhookId]) => webhookId);
    const jobs = await this.queue.take<LivraisonJob>(LIVRAISON_QUEUE, wanted, MOST_LEASED_OF_ENDPOINT, full);
    for (const job of jobs) this.count(job, 1);
    const byTenant = Map.groupBy(jobs, ({ data }) => data.tenantId);
    await Promise.all([...byTenant].map(([tenantId, ofTenant]) => this.begin(tenantId, ofTenant)));
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
      this.consumer.warn(error);
      await this.giveBack(jobs);
    }
  }

  /** @returns false if the queue of the endpoint is full */
  private beginOne(job: Job, due: DueLivraison | undefined): boolean {
    const ending = endingOf(job, due);
    if (ending) this.end(job, ending);
    else {
      const endpoint = this.endpointOf(job);
      if (endpoint.count >= endpoint.capacity) return false;
      this.characters += due!.data.length;
      endpoint.push({ job, due: due!, readAt: performance.now() });
    }
    return true;
  }

  private endpointOf({ data: { webhookId } }: Job): EndpointQueue<Attempt> {
    let endpoint = this.endpoints.get(webhookId);
    if (!endpoint) {
      endpoint = new EndpointQueue((attempt) => this.attempt(attempt));
      this.endpoints.set(webhookId, endpoint);
    }
    return endpoint;
  }

  /** @returns whether the receiver answered in time */
  private async attempt({ job, due: read, readAt }: Attempt): Promise<boolean> {
    const { tenantId, webhookId } = job.data;
    this.characters -= read.data.length;
    let due: DueLivraison | undefined = read;
    let began: Date;
    const start = performance.now();
    let answer: Answer;
    try {
      // Behind a slow receiver it may have waited for minutes, and the endpoint may have changed.
      if (start - readAt > STALE_MS) [due] = await this.livraisons.due(tenantId, [job.data.livraisonId]);
      const ending = endingOf(job, due);
      if (ending) {
        this.end(job, ending);
        return true;
      }
      due = due!;
      began = this.clock.now();
      const { headers, body } = envelopeOf(due, this.keys.at(began, tenantId, webhookId, due.webhook), began);
      answer = await this.sender.post(due.webhook.url, headers, body);
    } catch (error) {
      // The cause is on this side, for example a missing key of SECRETS_KEY: the job stays, and the receiver is not blamed.
      this.logger.error(
        { tenantId, webhookId, error: (error as Error).name, sqlState: sqlState(error) },
        'a delivery could not be made',
      );
      await wait(RETRY_MS);
      await this.giveBack([job]);
      return true;
    }
    const at = this.clock.now();
    const isFirst = due.generation === 0 && due.essais === 0;
    this.metrics.note(answer, isFirst ? at.getTime() - due.date.getTime() : undefined);
    const tentative = {
      date: began.toISOString(),
      statut: answer.statut,
      dureeMs: Math.round(performance.now() - start),
      reponse: answer.reponse,
    };
    this.end(job, { outcome: outcomeOf(due, answer, tentative, at), tried: due.webhook }, at);
    const endpoint = this.endpointOf(job);
    // Waiting jobs would otherwise stay leased while the endpoint hangs, or be sent to one that is gone.
    await this.unload([
      ...(answer.timedOut ? endpoint.slowDown() : []),
      ...(answer.statut === 410 ? endpoint.drop() : []),
    ]);
    return !answer.timedOut;
  }

  private end(job: Job, ending: Pick<Ended, 'outcome' | 'tried'>, at = this.clock.now()): void {
    const { webhookId, tenantId } = job.data;
    const recorded = (): void => {
      this.count(job, -1);
      this.consumer.wake();
    };
    this.recorder.push(tenantId, { jobId: job.id, webhookId, at, recorded, ...ending });
  }

  /** Gives back attempts that this process does not make. */
  private async unload(attempts: readonly Attempt[]): Promise<void> {
    for (const { due } of attempts) this.characters -= due.data.length;
    await this.giveBack(attempts.map(({ job }) => job));
  }

  private async giveBack(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.consumer.giveBack(jobs.map(({ id }) => id));
    for (const job of jobs) this.count(job, -1);
  }

  /** Counts a job as leased, or no longer. */
  private count({ id, data: { webhookId } }: Job, by: 1 | -1): void {
    if (by === 1) this.leased.add(id);
    else this.leased.delete(id);
    const count = (this.leasedOf.get(webhookId) ?? 0) + by;
    if (count > 0) this.leasedOf.set(webhookId, count);
    else this.leasedOf.delete(webhookId);
  }
}

/** Returns how a job ends without an attempt; undefined if one is to be made. */
function endingOf(job: Job, due: DueLivraison | undefined): Pick<Ended, 'outcome'> | undefined {
  // The delivery was deleted or has ended, or this job is of an earlier generation.
  if (!due || due.etat !== 'EnAttente' || due.generation !== job.data.tour) return {};
  return due.webhook.takes(due.type)
    ? undefined
    : { outcome: { id: due.id, generation: due.generation, etat: 'Annulee' } };
}

function outcomeOf(due: DueLivraison, answer: Answer, tentative: Tentative, at: Date): Outcome {
  const { id, generation } = due;
  if (answer.statut !== null && answer.statut >= 200 && answer.statut < 300)
    return { id, generation, etat: 'Reussie', tentative };
  const next = nextAttempt(due.essais + 1, at, parseRetryAfter(answer.retryAfter, at), Math.random());
  return { id, generation, etat: next ? 'EnAttente' : 'Echouee', next, tentative };
}
