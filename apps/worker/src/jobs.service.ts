import { Inject, Injectable, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { sqlState } from '#platform/database/sql-errors';
import { LOGGER } from '#platform/ops/logger';
import { JobQueue } from '#platform/jobs/job-queue';
import type { Queue } from '#platform/jobs/queue';
import { TACHE_ABANDONNEE_QUEUE, TACHE_QUEUE, type TacheJob, TachesService } from '#sync';

/** Long syncs at once in one worker: each holds its body in memory and a connection of the pool. */
const TACHES_AT_ONCE = 2;
const RETRY_MS = 2_000;

/** Takes the jobs of the tasks once the database is reachable. Deliveries and emails have consumers of their own. */
@Injectable()
export class JobsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private retry: NodeJS.Timeout | undefined;
  /** Queue workers that are not registered yet. */
  private readonly registrations = new Map<Queue, () => Promise<void>>([
    [
      TACHE_QUEUE,
      () => this.queue.work<TacheJob>(TACHE_QUEUE, TACHES_AT_ONCE, (job) => this.taches.perform(job)),
    ],
    [
      TACHE_ABANDONNEE_QUEUE,
      () => this.queue.work<TacheJob>(TACHE_ABANDONNEE_QUEUE, 1, (job) => this.taches.abandon(job)),
    ],
  ]);

  constructor(
    private readonly queue: JobQueue,
    private readonly taches: TachesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.begin().catch((error: unknown) => {
      this.logger.warn({ sqlState: sqlState(error) }, 'the queue is out of reach and will be tried again');
      this.retry = setTimeout(() => this.onApplicationBootstrap(), RETRY_MS);
    });
  }

  onApplicationShutdown(): void {
    clearTimeout(this.retry);
  }

  private async begin(): Promise<void> {
    for (const [queue, register] of this.registrations) {
      await register();
      this.registrations.delete(queue);
    }
  }
}
