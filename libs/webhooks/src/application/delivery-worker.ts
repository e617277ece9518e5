import { Inject, Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Databases } from '#platform/database/databases';
import { sqlState } from '#platform/errors/sql-errors';
import { BUDGETS } from '#platform/limits/budgets';
import { LOGGER } from '#platform/ops/logger';
import { FairLimit } from '#platform/jobs/fair-limit';
import { JobQueue, type LeasedJob } from '#platform/jobs/job-queue';
import { QueueConsumer } from '#platform/jobs/queue-consumer';
import { WorkSharing } from '#platform/jobs/work-sharing';
import { Clock } from '#platform/ops/clock';
import { Spans } from '#platform/ops/spans';
import { nextAttempt, parseRetryAfter } from '../domain/retry-schedule';
import type { Tentative } from '../domain/webhook.types';
import {
  type DueLivraison,
  LivraisonRepository,
  type Outcome,
  type ReadLivraison,
  SMALL_BYTES,
} from '../persistence/livraison.repository';
import { DeliveryBytes } from './delivery-bytes';
import { DeliveryMetrics } from './delivery-metrics';
import { EndpointQueue, FIRST_REFILL_AT, MOST_LEASED as MOST_LEASED_OF_ENDPOINT } from './endpoint-queue';
import { bodyOf, headersOf } from './envelope';
import { EventBodies } from './event-bodies';
import { Leases } from './leases';
import { LIVRAISON_QUEUE, type LivraisonJob } from './livraison-jobs';
import { type Ended, OutcomeRecorder } from './outcome-recorder';
import { type Answer, Sender } from './sender';
import { SharedBytes } from './shared-bytes';
import { SigningKeys } from './signing-keys';
import { SimulatedAnswers } from './simulated-answers';

/** Jobs that one process leases; each needs at most one connection. */
const MOST_LEASED = 10_000;

/** Leased jobs of one client from which its endpoints get more only when they have none. */
const MANY_LEASED_OF_CLIENT = 4_096;

/** Endpoints and deliveries that were read longer ago, in ms, are read again before the attempt. */
const STALE_MS = 1_000;

/** Longest time, in ms, that a fetch waits until its deliveries are read: the reads of one data space may queue. */
const MOST_READING_MS = 250;

/** Maximum jobs of one fetch. */
const BATCH = 256;

/** Pause after a fetch that found less than it asked for, in ms. */
const IDLE_MS = 100;
const RETRY_MS = 1_000;

/** Time after which a delivery of a suspended client is looked at again, in ms. */
const SUSPENDED_MS = 300_000;

/** Jobs whose lease is not renewed for 10 s are given to another worker. */
const RENEW_EVERY_MS = 3_000;

/**
 * Lost leases from which on a job may have ended its processes. A process loses its lease on thousands of jobs that were not
 * begun, so one lost lease counts if a fetch has few of them only.
 */
const SUSPECT_LEASES = 2;
const FEW_SUSPECTS = 16;

/** The result that partners read of a delivery that was put aside. */
const ASIDE = 'The attempt ended the sending process twice, and was put aside.';

interface Job extends LeasedJob<LivraisonJob> {
  /** Whether it may have ended its processes: it is noted, and attempted while no other such job is. */
  readonly isSuspect: boolean;
}

/** A scheduled attempt. */
export interface Attempt {
  readonly job: Job;
  readonly client: string;
  readonly due: DueLivraison;
  /** The data of the event, if it was read with the delivery; null from the beginning of the attempt on. */
  data: string | null;
  readonly readAt: number;
}

/**
 * Takes jobs, makes the attempts that they name, several at a time for each endpoint, and passes the results on. Any number
 * of processes share the work. `BUDGETS` limits the bytes of the attempts' bodies by endpoint, client and process. An attempt
 * whose body exceeds a budget waits before the body is read; other endpoints continue.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly consumer: QueueConsumer;
  private readonly endpoints = new Map<string, EndpointQueue<Attempt>>();
  /** Endpoints whose next attempt waits for bytes, the longest wait first. */
  private readonly short = new Set<EndpointQueue<Attempt>>();
  private readonly leases = new Leases();
  /** Running reads of deliveries that were leased. */
  private readonly reading = new Set<Promise<void>>();
  private isResuming = false;
  private readonly running = new DeliveryBytes();
  private readonly bodies = new EventBodies();
  private readonly suspects = new FairLimit(1);
  private readonly waiting = new SharedBytes(BUDGETS.waitingEventBytes, BUDGETS.waitingEventBytesOfClient);

  constructor(
    private readonly queue: JobQueue,
    private readonly databases: Databases,
    private readonly livraisons: LivraisonRepository,
    private readonly keys: SigningKeys,
    private readonly recorder: OutcomeRecorder,
    private readonly sender: Sender,
    private readonly simulated: SimulatedAnswers,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
    private readonly sharing: WorkSharing,
    private readonly spans: Spans,
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
    await Promise.all(this.reading);
    await this.unload([...this.endpoints.values()].flatMap((endpoint) => endpoint.drop()));
    await Promise.all([...this.endpoints.values()].map((endpoint) => endpoint.settled()));
    await this.recorder.settled();
    this.consumer.close();
    this.sender.close();
  }

  private async renew(): Promise<void> {
    for (const [id, endpoint] of this.endpoints) if (endpoint.isDisposable) this.endpoints.delete(id);
    await this.queue.keep(LIVRAISON_QUEUE, this.leases.all);
  }

  private async fetch(): Promise<number> {
    const wanted = Math.min(BATCH, MOST_LEASED - this.leases.count);
    const taken = wanted > 0 ? await this.take(wanted) : 0;
    return taken < wanted || wanted === 0 ? IDLE_MS : 0;
  }

  private async take(wanted: number): Promise<number> {
    const taken = await this.queue.take<LivraisonJob>(
      LIVRAISON_QUEUE,
      wanted,
      MOST_LEASED_OF_ENDPOINT,
      this.full(),
    );
    const isFew = taken.filter(({ retryCount }) => retryCount > 0).length <= FEW_SUSPECTS;
    const isSuspect = (lost: number): boolean => lost >= (isFew ? 1 : SUSPECT_LEASES);
    const jobs = taken.map((job) => ({ ...job, isSuspect: isSuspect(job.retryCount) }));
    const byTenant = Map.groupBy(jobs, ({ data }) => data.tenantId);
    const read = Promise.all([...byTenant].map(([tenantId, ofTenant]) => this.lease(tenantId, ofTenant)));
    await Promise.race([read, wait(MOST_READING_MS, undefined, { ref: false })]);
    return jobs.length;
  }

  /** Returns the endpoints that get no more jobs now. */
  private full(): string[] {
    // Refill an endpoint when half of its leased jobs have ended: few large fetches cost less than many small ones.
    return this.leases.endpointsWhere(
      (id, ofEndpoint, ofClient) =>
        ofClient > MANY_LEASED_OF_CLIENT ||
        ofEndpoint > (this.endpoints.get(id)?.refillAt ?? FIRST_REFILL_AT),
    );
  }

  private async lease(tenantId: string, jobs: readonly Job[]): Promise<void> {
    try {
      const client = await this.databases.clientOf(tenantId);
      for (const { id, data } of jobs) this.leases.add(id, data.webhookId, client);
      const reading = this.read(tenantId, client, jobs).finally(() => this.reading.delete(reading));
      this.reading.add(reading);
      await reading;
    } catch (error) {
      this.consumer.warn(error);
      await this.consumer.giveBack(jobs.map(({ id }) => id));
    }
  }

  /** Reads deliveries of one data space, with as much small data as its client may hold, and queues their attempts. */
  private async read(tenantId: string, client: string, jobs: readonly Job[]): Promise<void> {
    const room = Math.max(0, Math.min(this.waiting.roomOf(client), jobs.length * SMALL_BYTES));
    this.waiting.take(client, room);
    try {
      const ids = jobs.map(({ data }) => data.livraisonId);
      const rows = await this.livraisons.due(tenantId, ids, room);
      const byId = new Map(rows.map((row) => [row.due.id, row]));
      const excess = jobs.filter((job) => !this.begin(job, client, byId.get(job.data.livraisonId)));
      await this.giveBack(excess, client);
    } catch (error) {
      this.consumer.warn(error);
      await this.giveBack(jobs, client);
    } finally {
      this.waiting.give(client, room);
    }
  }

  /** @returns false if the queue of the endpoint is full */
  private begin(job: Job, client: string, read: ReadLivraison | undefined): boolean {
    const ending = endingOf(job, read?.due, this.clock.now());
    if (ending) {
      void this.end(job, client, ending);
      return true;
    }
    const endpoint = this.endpointOf(job);
    if (this.consumer.isStopping || endpoint.count >= endpoint.capacity) return false;
    const { due, data } = read!;
    if (data !== null) this.waiting.take(client, due.bytes);
    endpoint.push({ job, client, due, data, readAt: performance.now() });
    return true;
  }

  private endpointOf({ data: { webhookId } }: Job): EndpointQueue<Attempt> {
    let endpoint = this.endpoints.get(webhookId);
    if (!endpoint) {
      endpoint = new EndpointQueue(
        (attempt) => this.attempt(attempt),
        (attempt) => this.admit(attempt),
      );
      this.endpoints.set(webhookId, endpoint);
    }
    return endpoint;
  }

  /** Takes the bytes of an attempt. @returns false if it must wait for them */
  private admit({ job, client, due }: Attempt): boolean {
    if (this.running.take(client, job.data.webhookId, DeliveryBytes.of(due.bytes))) return true;
    this.short.add(this.endpointOf(job));
    return false;
  }

  /** Makes an attempt, and gives its bytes back. @returns whether the receiver answered in time */
  private async attempt(attempt: Attempt): Promise<boolean> {
    const { job, client, due } = attempt;
    try {
      if (!job.isSuspect) return await this.send(attempt);
      return await this.suspects.run(client, () => this.sendNoted(attempt));
    } finally {
      this.forgetData(attempt);
      this.running.give(client, job.data.webhookId, DeliveryBytes.of(due.bytes));
      this.resumeShort();
    }
  }

  /** Begins attempts that waited for bytes, once for all that end at this moment. */
  private resumeShort(): void {
    if (this.short.size === 0 || this.isResuming) return;
    this.isResuming = true;
    setImmediate(() => {
      this.isResuming = false;
      const endpoints = [...this.short];
      this.short.clear();
      const served = endpoints.filter((endpoint) => endpoint.resume());
      // An endpoint that got bytes and needs more comes after those that got none.
      for (const endpoint of served) if (this.short.delete(endpoint)) this.short.add(endpoint);
    });
  }

  /**
   * Makes an attempt that may have ended processes, or puts it aside if it has ended one since it is noted.
   *
   * @returns whether the receiver answered in time
   */
  private async sendNoted(attempt: Attempt): Promise<boolean> {
    const { job, client, due } = attempt;
    const { tenantId, livraisonId, webhookId } = job.data;
    const [{ name }, piece] = [LIVRAISON_QUEUE, { tenantId, id: job.id }];
    try {
      if (this.consumer.isStopping) {
        await this.giveBack([job], client);
        return true;
      }
      let beginning = await this.sharing.begin(name, piece, false, 1);
      if (beginning === 'elsewhere') beginning = await this.sharing.begin(name, piece, true);
      if (beginning === 'begun') return await this.send(attempt).finally(() => this.sharing.end(name, piece));
      if (beginning === 'aside') {
        const tentative = { date: this.clock.now().toISOString(), statut: null, dureeMs: 0, reponse: ASIDE };
        const outcome = { id: due.id, generation: due.generation, etat: 'Echouee', tentative } as const;
        const tell = (): Promise<void> => this.end(job, client, { outcome });
        await this.sharing.putAside(name, piece, tell, { livraisonId, webhookId });
        return true;
      }
      await wait(RETRY_MS);
    } catch (error) {
      this.consumer.warn(error);
    }
    await this.giveBack([job], client);
    return true;
  }

  /** @returns whether the receiver answered in time */
  private async send(attempt: Attempt): Promise<boolean> {
    const { job, client, readAt } = attempt;
    const { tenantId, webhookId } = job.data;
    let due: DueLivraison | undefined = attempt.due;
    let began: Date | undefined;
    const start = performance.now();
    let answer: Answer | undefined;
    try {
      // Behind a slow receiver it may have waited for minutes, and the endpoint may have changed.
      if (start - readAt > STALE_MS)
        due = (await this.livraisons.due(tenantId, [job.data.livraisonId], 0))[0]?.due;
      const ending = endingOf(job, due, this.clock.now());
      if (ending) {
        void this.end(job, client, ending);
        return true;
      }
      const { webhook, evenementId } = due!;
      const post = (): Promise<Answer | undefined> =>
        this.bodies.use(
          `${tenantId} ${evenementId}`,
          () => this.body(attempt),
          async (body) => {
            this.forgetData(attempt);
            if (!body) return undefined;
            began = this.clock.now();
            const headers = headersOf(due!, body, this.keys.at(began, tenantId, webhookId, webhook), began);
            const sent = (): Promise<Answer> => this.sender.post(webhook.url, headers, body);
            return due!.isStaging ? this.simulated.around(tenantId, webhookId, sent) : sent();
          },
        );
      answer = this.spans.isOn ? await this.traced(job, due!, post) : await post();
    } catch (error) {
      // The cause is on this side, for example a missing key of SECRETS_KEY: the job stays, and the receiver is not blamed.
      this.logger.error(
        { tenantId, webhookId, error: (error as Error).name, sqlState: sqlState(error) },
        'a delivery could not be made',
      );
      await wait(RETRY_MS);
      await this.giveBack([job], client);
      return true;
    }
    if (!answer) {
      // The event was deleted meanwhile.
      void this.end(job, client, {});
      return true;
    }
    await this.conclude(attempt, due!, answer, began!, performance.now() - start);
    return !answer.timedOut;
  }

  /** Makes an attempt in a span, which is part of the one that made the event. */
  private traced(
    { data: { tenantId, webhookId, traceparent } }: Job,
    { id, type, essais }: DueLivraison,
    post: () => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    const facts = {
      'mandat.tenant.id': tenantId,
      'mandat.webhook.id': webhookId,
      'mandat.livraison.id': id,
      'mandat.evenement.type': type,
      'mandat.livraison.essai': essais + 1,
    };
    return this.spans.run(
      { name: `delivery ${type}`, kind: 'CLIENT', facts, parent: traceparent },
      async (span) => {
        const answer = await post();
        const failure = answer && failureOf(answer);
        if (answer?.statut) span?.tell({ 'http.response.status_code': answer.statut });
        if (failure) span?.end(failure);
        return answer;
      },
    );
  }

  private async conclude(
    { job, client }: Attempt,
    due: DueLivraison,
    answer: Answer,
    began: Date,
    tookMs: number,
  ): Promise<void> {
    const at = this.clock.now();
    const isFirst = due.generation === 0 && due.essais === 0;
    this.metrics.note(answer, isFirst ? at.getTime() - due.date.getTime() : undefined);
    const tentative = {
      date: began.toISOString(),
      statut: answer.statut,
      dureeMs: Math.round(tookMs),
      reponse: answer.reponse,
    };
    void this.end(job, client, { outcome: outcomeOf(due, answer, tentative, at), tried: due.webhook }, at);
    const endpoint = this.endpointOf(job);
    // Waiting jobs would otherwise stay leased while the endpoint hangs, or be sent to one that is gone.
    await this.unload([
      ...(answer.timedOut ? endpoint.slowDown() : []),
      ...(answer.statut === 410 ? endpoint.drop() : []),
    ]);
  }

  /** Makes the body of an attempt. @returns undefined if the event was deleted */
  private async body({ job, due, data }: Attempt): Promise<Buffer | undefined> {
    const text = data ?? (await this.livraisons.data(job.data.tenantId, due.evenementId));
    return text === undefined ? undefined : bodyOf(due, text);
  }

  /** Drops the data that an attempt held while it waited. */
  private forgetData(attempt: Attempt): void {
    if (attempt.data !== null) this.waiting.give(attempt.client, attempt.due.bytes);
    attempt.data = null;
  }

  /** Ends a job. @returns resolves once that is written */
  private async end(
    job: Job,
    client: string,
    ending: Pick<Ended, 'outcome' | 'tried'>,
    at = this.clock.now(),
  ): Promise<void> {
    const { webhookId, tenantId, traceparent } = job.data;
    await new Promise<void>((recorded) => {
      this.recorder.push(tenantId, { jobId: job.id, webhookId, traceparent, at, recorded, ...ending });
    });
    this.leases.remove(job.id, webhookId, client);
    this.consumer.wake();
  }

  /** Gives back attempts that this process does not make. */
  private async unload(attempts: readonly Attempt[]): Promise<void> {
    for (const attempt of attempts) this.forgetData(attempt);
    const byClient = Map.groupBy(attempts, ({ client }) => client);
    for (const [client, ofClient] of byClient)
      await this.giveBack(
        ofClient.map(({ job }) => job),
        client,
      );
  }

  private async giveBack(jobs: readonly Job[], client: string): Promise<void> {
    if (jobs.length === 0) return;
    await this.consumer.giveBack(jobs.map(({ id }) => id));
    for (const { id, data } of jobs) this.leases.remove(id, data.webhookId, client);
  }
}

/** Returns how a job ends without an attempt; undefined if one is to be made. */
function endingOf(job: Job, due: DueLivraison | undefined, at: Date): Pick<Ended, 'outcome'> | undefined {
  // The delivery was deleted or has ended, or this job is of an earlier generation.
  if (!due || due.etat !== 'EnAttente' || due.generation !== job.data.tour) return {};
  const { id, generation } = due;
  if (!due.webhook.takes(due.type)) return { outcome: { id, generation, etat: 'Annulee' } };
  if (!due.isSuspended) return undefined;
  return { outcome: { id, generation, etat: 'EnAttente', next: new Date(at.getTime() + SUSPENDED_MS) } };
}

/** Why an attempt was not accepted; undefined if it was. */
function failureOf({ statut, timedOut }: Answer): string | undefined {
  if (statut === null) return timedOut ? 'timeout' : 'failed';
  return statut >= 200 && statut < 300 ? undefined : String(statut);
}

function outcomeOf(due: DueLivraison, answer: Answer, tentative: Tentative, at: Date): Outcome {
  const { id, generation } = due;
  if (answer.statut !== null && answer.statut >= 200 && answer.statut < 300)
    return { id, generation, etat: 'Reussie', tentative };
  const next = nextAttempt(due.essais + 1, at, parseRetryAfter(answer.retryAfter, at), Math.random());
  return { id, generation, etat: next ? 'EnAttente' : 'Echouee', next, tentative };
}
