import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  OnApplicationBootstrap,
  OnApplicationShutdown,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { sqlState } from '#platform/errors/sql-errors';
import { LOGGER } from '#platform/ops/logger';
import { JobQueue } from '#platform/jobs/job-queue';
import { RecurringWork } from '#platform/jobs/recurring-work';
import { TACHE_ABANDONNEE_QUEUE, type TacheJob, TachesService } from '#sync';
import { Rounds } from './rounds';

/** Pause between two looks at the waiting tasks, in ms. */
const INTERVAL_MS = 500;
const RETRY_MS = 2_000;

/** Performs tasks. Deliveries and emails have consumers of their own. */
@Injectable()
export class JobsService implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly rounds: Rounds;
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly queue: JobQueue,
    private readonly taches: TachesService,
    recurring: RecurringWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.rounds = new Rounds('the work on tasks', INTERVAL_MS, () => taches.performAllDue(), recurring);
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
    this.takeAbandoned();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.rounds.stop();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.retry);
  }

  /** Takes the tasks that failed too often, once the database is reachable. */
  private takeAbandoned(): void {
    this.queue
      .work<TacheJob>(TACHE_ABANDONNEE_QUEUE, 1, (job) => this.taches.abandon(job))
      .catch((error: unknown) => {
        this.logger.warn({ sqlState: sqlState(error) }, 'the queue is out of reach and will be tried again');
        this.retry = setTimeout(() => this.takeAbandoned(), RETRY_MS);
      });
  }
}
