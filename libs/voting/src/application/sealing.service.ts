import { URNE_ACTIONS } from '../domain/voting.actions';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { LOGGER } from '#platform/ops/logger';
import { SealingRepository } from '../persistence/sealing.repository';
import { DossierKeys } from './dossier-keys';
import { DueWork } from './due-work';
import { EngagementsService, LOG_ANOMALY } from './engagements.service';
import { WORKER } from './worker';

/**
 * Seals closed ballot boxes (docs/adr/0014): the box counts, and one transaction rewrites roll, ballots and receipts in
 * random order, because their old order and row versions could link ballots to voters.
 */
@Injectable()
export class SealingService {
  private readonly work = new DueWork();

  constructor(
    private readonly transactions: Transactions,
    private readonly repository: SealingRepository,
    private readonly engagements: EngagementsService,
    private readonly keys: DossierKeys,
    private readonly audit: AuditTrail,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Seals the boxes of all tenants that are closed. Several workers may do it at once; failures as in
   * `DueWork`.
   */
  async sealAllDue(isStopping: () => boolean = () => false): Promise<void> {
    let sealed = 0;
    const work = this.work.each(
      (except) => this.repository.due(except),
      isStopping,
      async (tenantId, id) => {
        if (await this.seal(tenantId, id)) sealed++;
      },
    );
    const [outcome] = await Promise.allSettled([work]);
    // Dead rows would otherwise stay in the files, in their old order, until the server removes them.
    if (sealed > 0) await this.repository.removeDeadRows();
    if (outcome.status === 'rejected') throw outcome.reason;
  }

  /**
   * Signs the last checkpoint and seals the box: all of it or nothing.
   *
   * @returns whether this call sealed it
   * @throws Error where ballots, receipts and voters do not agree: the box stays as it is, the log names the failed checks,
   * and the audit trail has `urne.anomalie` once for each finding
   */
  async seal(tenantId: string, id: string): Promise<boolean> {
    await this.keys.ready();
    const found = await this.transactions.run({ tenantId }, async () => {
      const known = await this.repository.begin(tenantId, id);
      if (!known) return undefined;
      await this.engagements.engage(tenantId, id);
      const anomalies = await this.repository.seal(id);
      // The log of receipts has an entry of its own.
      if (anomalies.some((one) => one !== LOG_ANOMALY && !known.includes(one)))
        this.audit.record(tenantId, WORKER, URNE_ACTIONS.anomalie, [id]);
      return anomalies;
    });
    if (!found || found.length === 0) return found !== undefined;
    this.logger.error(
      { tenantId, campagneId: id, checks: found },
      'a ballot box is not sealed: checks fail (docs/operations.md, "A ballot box that cannot be sealed")',
    );
    throw new Error(`The ballot box of campaign ${id} is not sealed: ${found.join(', ')} do not agree.`);
  }
}
