import { BeforeApplicationShutdown, Inject, Injectable, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { CellsService, RateLimiterService } from '#clients';
import { ChangementsService, IdentifiantRepository } from '#membership';
import { CourrielsService } from '#messaging';
import { IdempotencyRecords } from '#platform/database/idempotency-records';
import { ADMINISTRATION, NO_TENANT } from '#platform/database/scope';
import { WorkNotes } from '#platform/database/work-notes';
import { RecurringWork } from '#platform/jobs/recurring-work';
import { LOGGER } from '#platform/ops/logger';
import { PlansService, TachesService, UndoService } from '#sync';
import { CertificationsService, EvenementsService } from '#webhooks';
import { Rounds } from './rounds';

const INTERVAL_MS = 60_000;

/**
 * Removes expired rows: idempotency records after 24 h, rate windows once over, plans after 24 h, tasks after 7 days, events with their
 * deliveries, certifications, e-mails with their recipients and syncs with their images after 30 days, changes to the master data and former identifiers of
 * employees after 400 days. Also makes the
 * tables of changes of the months to come.
 */
@Injectable()
export class PurgeService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly rounds: Rounds;

  constructor(
    private readonly cells: CellsService,
    private readonly notes: WorkNotes,
    private readonly idempotency: IdempotencyRecords,
    private readonly rateLimits: RateLimiterService,
    private readonly taches: TachesService,
    private readonly plans: PlansService,
    private readonly syncs: UndoService,
    private readonly evenements: EvenementsService,
    private readonly certifications: CertificationsService,
    private readonly changements: ChangementsService,
    private readonly identifiants: IdentifiantRepository,
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

  /**
   * Runs one round. Several workers may run it at once: each row is removed by one of them. The kinds alternate by the batch, and
   * the data spaces have equal parts of each batch, so no client's old rows keep others waiting.
   */
  async purge(isStopping = (): boolean => false): Promise<void> {
    const spaces = await this.cells.ownSpaces();
    const purges: Record<string, () => Promise<number>> = {
      'idempotency records': () => this.idempotency.purgeExpired(spaces),
      'idempotency records of administration': () =>
        this.idempotency.purgeExpired([NO_TENANT], ADMINISTRATION),
      'rate windows': () => this.rateLimits.purgeOver(),
      tasks: () => this.taches.purgeExpired(spaces),
      plans: () => this.plans.purgeExpired(spaces),
      syncs: () => this.syncs.purgeExpired(spaces),
      'old months of changes': () => this.changements.dropMonths(),
      'former identifiers': () => this.identifiants.purgeExpired(spaces),
      certifications: () => this.certifications.purgeExpired(spaces),
      events: () => this.evenements.purgeExpired(spaces),
      emails: () => this.courriels.purgeExpired(spaces),
      'notes of work': () => this.notes.purgeForgotten(),
    };
    await this.recurring.attempt('the preparation of months of changes', () => this.changements.makeMonths());
    const counts = new Map(Object.keys(purges).map((what) => [what, 0]));
    for (const left = new Map(Object.entries(purges)); left.size > 0 && !isStopping();)
      for (const [what, purgeBatch] of left) {
        let removed = 0;
        // A failure does not keep the other rows from being removed.
        await this.recurring.attempt(`the purge of ${what}`, async () => {
          removed = await purgeBatch();
        });
        counts.set(what, counts.get(what)! + removed);
        if (removed === 0) left.delete(what);
      }
    for (const [what, count] of counts) if (count > 0) this.logger.info({ what, count }, 'purged');
  }
}
