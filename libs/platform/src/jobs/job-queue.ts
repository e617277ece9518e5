import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { PgBoss, type QueueResult } from 'pg-boss';
import type { Logger } from 'pino';
import { type Head, type LeasedJob, QueueDatabase, removeIn, type Traced } from './queue-database';
import { LOGGER } from '../ops/logger';
import { Metrics } from '../ops/metrics';
import { PROCESS_NAME, type Reader } from '../ops/process-name';
import { Spans } from '../ops/spans';
import { sqlState } from '../errors/sql-errors';
import { Transactions } from '../database/transactions';
import { type Queue, QUEUE_SCHEMA } from './queue';
import { WorkSharing } from './work-sharing';

/** Time that a stop waits for running jobs, in ms. An interrupted job was not committed, and another worker takes it. */
const STOP_TIMEOUT_MS = 20_000;

/** Interval between two renewals of a lease, in ms. */
const RENEW_EVERY_MS = 3_000;

interface NewJob {
  /** Made by the queue if absent. */
  readonly id?: string;
  readonly data: object;
  /** Jobs of one group are worked on one at a time, over all workers. */
  readonly group: string;
  /** Due time; at once if absent. */
  readonly startAfter?: Date | undefined;
}

export type { LeasedJob, Traced };

/** Jobs for the worker, in PostgreSQL (pg-boss; docs/adr/0008). Connects at its first use, or before it. */
@Injectable()
export class JobQueue implements BeforeApplicationShutdown {
  /** True in the worker, the only process that runs jobs and detects jobs of dead workers. */
  private readonly isWorker: boolean;
  private started: Promise<PgBoss> | undefined;

  constructor(
    private readonly database: QueueDatabase,
    @Inject(PROCESS_NAME) processName: Reader,
    private readonly transactions: Transactions,
    private readonly sharing: WorkSharing,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
    private readonly spans: Spans,
  ) {
    this.isWorker = processName === 'worker';
    if (!this.isWorker) return;
    // pg-boss counts them every 5 s.
    metrics.gauge('mandat_queue_depth', 'Due jobs that wait, by queue', async () =>
      (await this.queues()).map(({ name, readyCount }) => [{ queue: name }, readyCount]),
    );
    const description = 'Time since which the oldest job that waits has been due, by queue';
    metrics.gauge('mandat_queue_oldest_job_age_seconds', description, async () => {
      const ages = await this.database.ages();
      return (await this.queues()).map(({ name }) => [{ queue: name }, ages.get(name) ?? 0]);
    });
  }

  private async queues(): Promise<QueueResult[]> {
    return (await this.boss()).getQueues();
  }

  /**
   * Connects early, because the first transaction that adds a job would otherwise wait for a connection while it occupies
   * one: with few connections, as from a pooler, such transactions would wait for each other. `add` retries a failure.
   */
  connect(): void {
    this.boss().catch(() => undefined);
  }

  /**
   * Adds jobs in the ambient transaction, in one statement: they exist if and only if that commits. They belong to the current span,
   * unless their data names another one.
   */
  async add({ name }: Queue, jobs: readonly NewJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const boss = await this.boss();
    const client = this.transactions.client();
    const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) };
    const traceparent = Spans.current?.traceparent;
    const inserts = jobs.map(({ id, data, group, startAfter }) => ({
      ...(id === undefined ? {} : { id }),
      data: traceparent === undefined ? data : { traceparent, ...data },
      group: { id: group },
      ...(startAfter ? { startAfter } : {}),
    }));
    await boss.insert(name, inserts, { db, returnId: false });
  }

  /** Removes jobs in the ambient transaction of a tenant, whether they wait or run. */
  async remove({ name }: Queue, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await removeIn(this.transactions.client(), name, ids);
  }

  /**
   * Leases jobs that are due, until `done` or `giveBack`: groups with the fewest leased jobs come first, of each group the jobs
   * that are due longest. Call `keep` every few seconds: other processes take jobs whose leases have ended.
   *
   * @param limit maximum number of jobs
   * @param perGroup maximum number of leased jobs of one group, over all processes
   * @param withoutGroups groups to skip
   */
  async take<T extends object>(
    { name }: Queue,
    limit: number,
    perGroup: number,
    withoutGroups: readonly string[],
  ): Promise<LeasedJob<T>[]> {
    // It notices leases that have ended.
    await this.boss();
    return this.database.take(name, limit, perGroup, withoutGroups);
  }

  /** Renews the leases of jobs. */
  async keep({ name }: Queue, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await (await this.boss()).touch(name, [...ids]);
  }

  /** Removes completed jobs. */
  async done({ name }: Queue, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await (await this.boss()).deleteJob(name, [...ids]);
  }

  /**
   * Returns leased jobs that were not begun, for any process to take. The lease does not count: `retry_count` has those that ended with
   * their process.
   */
  async giveBack({ name }: Queue, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.database.restore(name, ids);
  }

  /** The oldest job of each group of a queue that has no running one, oldest first. */
  async heads<T extends object>({ name }: Queue): Promise<Head<T>[]> {
    const heads = await this.database.heads<T>(name);
    return heads.sort((one, other) => one.createdOn.getTime() - other.createdOn.getTime());
  }

  /**
   * Runs the oldest job of a group, unless another worker has it. A job whose `work` fails is tried again later, as its queue says.
   *
   * @throws Error without the values of statements, because pg-boss stores it
   */
  async runHead<T extends object>(
    queue: Queue,
    head: Head<T>,
    work: (data: T) => Promise<void>,
  ): Promise<void> {
    const job = await this.database.takeHead<T>(queue.name, head.id);
    if (!job) return;
    const boss = await this.boss();
    const renewals = setInterval(() => {
      this.keep(queue, [job.id]).catch((error: unknown) => {
        this.logger.warn({ queue: queue.name, sqlState: sqlState(error) }, 'a lease is renewed later');
      });
    }, RENEW_EVERY_MS);
    try {
      await this.traced(queue.name, job, work);
      await boss.complete(queue.name, job.id);
    } catch (error) {
      // If this fails, too, the lease ends.
      await boss.fail(queue.name, job.id).catch(() => undefined);
      this.report(queue.name, error);
    } finally {
      clearInterval(renewals);
    }
  }

  /** Ends a job that no process runs. */
  async drop({ name }: Queue, id: string): Promise<void> {
    await (await this.boss()).cancel(name, id);
  }

  /**
   * Runs the jobs of a queue, several concurrently, each at least once. A job whose `work` fails is tried again later.
   *
   * @param atOnce concurrent jobs of this process
   */
  async work<T extends object>(
    { name }: Queue,
    atOnce: number,
    work: (data: T) => Promise<void>,
  ): Promise<void> {
    const boss = await this.boss();
    await boss.work<T>(
      name,
      { localConcurrency: atOnce, groupConcurrency: 1, pollingIntervalSeconds: 0.5, batchSize: 1 },
      async (jobs) => {
        for (const job of jobs)
          await this.traced(name, job, work).catch((error: unknown) => this.report(name, error));
      },
    );
  }

  /** Waits for running jobs for a limited time, and closes its connections. The pools of the service close later. */
  async beforeApplicationShutdown(): Promise<void> {
    // Shared work adds jobs.
    await this.sharing.settled();
    const boss = await this.started?.catch(() => undefined);
    await boss?.stop({ graceful: this.isWorker, timeout: STOP_TIMEOUT_MS });
    await this.database.close();
  }

  /** Runs a job in a span, which is part of the one that added it. */
  traced<T extends Traced, R>(
    queue: string,
    { id, data }: { readonly id: string; readonly data: T },
    work: (data: T) => Promise<R>,
  ): Promise<R> {
    const facts = { 'messaging.destination.name': queue, 'messaging.message.id': id };
    return this.spans.run({ name: `job ${queue}`, kind: 'CONSUMER', facts, parent: data.traceparent }, () =>
      work(data),
    );
  }

  /** Replaces the error, because pg-boss stores it, and a database error contains the values of its statement. */
  private report(queue: string, error: unknown): never {
    const state = sqlState(error);
    this.logger.warn({ queue, sqlState: state }, 'a job failed and will be tried again');
    throw new Error(state ? `SQLSTATE ${state}` : 'failed');
  }

  private boss(): Promise<PgBoss> {
    this.started ??= this.start().catch((error: unknown) => {
      this.started = undefined;
      throw error;
    });
    return this.started;
  }

  private async start(): Promise<PgBoss> {
    const boss = new PgBoss({
      // The pool of pg-boss would wait forever on silent connections.
      db: this.database,
      schema: QUEUE_SCHEMA,
      migrate: false,
      createSchema: false,
      schedule: false,
      supervise: this.isWorker,
      superviseIntervalSeconds: 5,
      monitorIntervalSeconds: 5,
      // The role owns no index, and an index of this size needs no maintenance.
      reindex: false,
      monitorVacuum: false,
    });
    boss.on('error', (error) => {
      this.logger.warn({ sqlState: sqlState(error) }, 'the queue failed and goes on');
    });
    return boss.start();
  }
}
