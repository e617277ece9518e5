import { BeforeApplicationShutdown, Inject, Injectable, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { RateLimiterService } from '#clients';
import { ChangementsService } from '#membership';
import { CourrielsService } from '#messaging';
import { IdempotencyRecords } from '#platform/database/idempotency-records';
import { ADMINISTRATION, PURGE_BATCH } from '#platform/database/transactions';
import { RecurringWork } from '#platform/jobs/recurring-work';
import { LOGGER } from '#platform/ops/logger';
import { TachesService } from '#sync';
import { EvenementsService } from '#webhooks';
import { Rounds } from './rounds';

const INTERVAL_MS = 60_000;

/**
 * Removes expired rows: idempotency records after 24 h, rate windows once over, tasks after 7 days, events with their
 * deliveries and e-mails with their recipients after 30 days, changes to the master data after 400 days. Also makes the
 * tables of changes of the months to come.
 */
@Injectable()
export class PurgeService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly rounds: Rounds;

  constructor(
    private readonly idempotency: IdempotencyRecords,
    private readonly rateLimits: RateLimiterService,
    private readonly taches: TachesService,
    private readonly evenements: EvenementsService,
    private readonly changements: ChangementsService,
    private readonly courriels: CourrielsService,
    private readonly recurring: RecurringWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.rounds = new Rounds('the purge', INTERVAL_MS, (isStopping) => this.purge(isStopping), recurring);
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.rounds.stop();
  }

  /** Runs one round. Several workers may run it at once: each row is removed by one of them. */
  async purge(isStopping = (): boolean => false): Promise<void> {
    const purges: Record<string, () => Promise<number>> = {
      'idempotency records': () => this.idempotency.purgeExpired(),
      // Their database may be another one. In the same, nothing is left.
      'idempotency records of administration': () => this.idempotency.purgeExpired(ADMINISTRATION),
      'rate windows': () => this.rateLimits.purgeOver(),
      tasks: () => this.taches.purgeExpired(),
      'old months of changes': () => this.changements.dropMonths(),
      events: () => this.evenements.purgeExpired(),
      emails: () => this.courriels.purgeExpired(),
    };
    await this.recurring.attempt('the preparation of months of changes', () => this.changements.makeMonths());
    // A failure does not keep the other rows from being removed.
    for (const [what, purgeBatch] of Object.entries(purges))
      await this.recurring.attempt(`the purge of ${what}`, () => this.purgeAll(what, purgeBatch, isStopping));
  }

  private async purgeAll(
    what: string,
    purgeBatch: () => Promise<number>,
    isStopping: () => boolean,
  ): Promise<void> {
    let count = 0;
    try {
      let last: number;
      do count += last = await purgeBatch();
      while (last === PURGE_BATCH && !isStopping());
    } finally {
      if (count > 0) this.logger.info({ what, count }, 'purged');
    }
  }
}
