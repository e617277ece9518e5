import { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { QUEUE_ROLE } from '../database/connections';
import { sqlState } from '../database/sql-errors';
import type { Transactions } from '../database/transactions';
import { type QueueName, QUEUE_SCHEMA } from './queues';

/** How long a stop waits for jobs at work; what is cut off then was not committed and is taken up by another worker. */
const STOP_TIMEOUT_MS = 20_000;

export interface JobOptions {
  /** Jobs of one group are worked on one at a time, over all workers. */
  readonly group: string;
}

/** Jobs for the worker, in PostgreSQL (pg-boss; docs/adr/0008). Connects at its first use. */
export class JobQueue {
  private started: Promise<PgBoss> | undefined;

  /** @param isWorker whether this process also does jobs, and watches over those of workers that died */
  constructor(
    private readonly url: string,
    private readonly isWorker: boolean,
    private readonly transactions: Transactions,
    private readonly logger: Logger,
  ) {}

  /** Adds a job in the ambient transaction: it exists if and only if that commits. */
  async add(name: QueueName, data: object, { group }: JobOptions): Promise<void> {
    const boss = await this.boss();
    const client = this.transactions.client();
    const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) };
    await boss.send(name, data, { group: { id: group }, db });
  }

  /**
   * Does the jobs of a queue, some at once, each at least once. A job whose `work` fails is tried again later.
   *
   * @param atOnce jobs at work in this process
   */
  async work<T extends object>(
    name: QueueName,
    atOnce: number,
    work: (data: T) => Promise<void>,
  ): Promise<void> {
    const boss = await this.boss();
    await boss.work<T>(
      name,
      { localConcurrency: atOnce, groupConcurrency: 1, pollingIntervalSeconds: 0.5, batchSize: 1 },
      async (jobs) => {
        for (const { data } of jobs) await work(data).catch((error: unknown) => this.report(name, error));
      },
    );
  }

  /** Waits for the jobs at work, within limits, and closes the connections. */
  async stop(): Promise<void> {
    const boss = await this.started?.catch(() => undefined);
    await boss?.stop({ graceful: this.isWorker, timeout: STOP_TIMEOUT_MS });
  }

  /** pg-boss keeps the error beside the job, and one of the database carries the values of its statement. */
  private report(queue: QueueName, error: unknown): never {
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
      connectionString: this.url,
      application_name: 'mandat queue',
      options: `-c role=${QUEUE_ROLE} -c statement_timeout=30000 -c timezone=UTC`,
      schema: QUEUE_SCHEMA,
      max: this.isWorker ? 3 : 1,
      connectionTimeoutMillis: 5_000,
      migrate: false,
      createSchema: false,
      schedule: false,
      supervise: this.isWorker,
      superviseIntervalSeconds: 5,
      monitorIntervalSeconds: 5,
      // Its role owns no index; the density of an index of this size needs no care.
      reindex: false,
      monitorVacuum: false,
    });
    boss.on('error', (error) => {
      this.logger.warn({ sqlState: sqlState(error) }, 'the queue failed and goes on');
    });
    return boss.start();
  }
}
