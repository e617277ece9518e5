import { BeforeApplicationShutdown, Inject, Injectable, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { RateLimiterService } from '#clients';
import { CourrielsService } from '#messaging';
import { IdempotencyRecords } from '#platform/database/idempotency-records';
import { sqlState } from '#platform/database/sql-errors';
import { PURGE_BATCH } from '#platform/database/transactions';
import { LOGGER } from '#platform/ops/logger';
import { TachesService } from '#sync';
import { EvenementsService } from '#webhooks';

const INTERVAL_MS = 60_000;

/** Removes what has expired: idempotency records after 24 h, minutes of rate limits once over, tasks after 7 days,
 * events with their deliveries after 30, letters with their recipients after 30. */
@Injectable()
export class PurgeService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly idempotency: IdempotencyRecords,
    private readonly rateLimits: RateLimiterService,
    private readonly taches: TachesService,
    private readonly evenements: EvenementsService,
    private readonly courriels: CourrielsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const tick = (): void => {
      this.running = this.purge();
    };
    tick();
    this.timer = setInterval(tick, INTERVAL_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** Runs one round. Several workers may run it at once; each row is removed by one of them. */
  async purge(): Promise<void> {
    await this.purgeAll('idempotency records', () => this.idempotency.purgeExpired());
    await this.purgeAll('rate windows', () => this.rateLimits.purgeOver());
    await this.purgeAll('tasks', () => this.taches.purgeExpired());
    await this.purgeAll('events', () => this.evenements.purgeExpired());
    await this.purgeAll('letters', () => this.courriels.purgeExpired());
  }

  private async purgeAll(what: string, purgeBatch: () => Promise<number>): Promise<void> {
    let count = 0;
    try {
      let last: number;
      do count += last = await purgeBatch();
      while (last === PURGE_BATCH && !this.isStopping);
    } catch (error) {
      this.logger.warn({ what, sqlState: sqlState(error) }, 'the purge failed and will be tried again');
    }
    if (count > 0) this.logger.info({ what, count }, 'purged');
  }
}
