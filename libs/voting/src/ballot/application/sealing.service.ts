import { URNE_ACTIONS } from '../../domain/voting.actions';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import type { SharedWork } from '#platform/jobs/shared-work';
import { WorkSharing } from '#platform/jobs/work-sharing';
import { LOGGER } from '#platform/ops/logger';
import { SealingRepository } from '../persistence/sealing.repository';
import { DossierKeys } from '../../application/dossier-keys';
import { EngagementsService, LOG_ANOMALY } from './engagements.service';
import { WORKER } from '../../application/worker';

/**
 * Seals closed ballot boxes (docs/adr/0014): the box counts, and one transaction rewrites roll, ballots and receipts in
 * orders that no vote changes, because their old order and row versions could link ballots to voters.
 */
@Injectable()
export class SealingService {
  private readonly work: SharedWork;
  private hasDeadRows = false;

  constructor(
    private readonly transactions: Transactions,
    private readonly repository: SealingRepository,
    private readonly engagements: EngagementsService,
    private readonly keys: DossierKeys,
    private readonly audit: AuditTrail,
    @Inject(LOGGER) private readonly logger: Logger,
    sharing: WorkSharing,
  ) {
    this.work = sharing.of({ name: 'scellement', atOnce: 2, isLong: true });
  }

  /** Seals the boxes of all tenants that are closed. Shared out by client, and failures, as in `SharedWork`. */
  sealAllDue(): Promise<void> {
    return this.work.each({
      find: (except) => this.repository.due(except),
      work: ({ tenantId, id }) => this.seal(tenantId, id),
    });
  }

  /** The number of boxes of the cell whose vote has ended, by the step that they wait for. */
  async countWaiting(): Promise<(readonly [{ step: string }, count: number])[]> {
    return Object.entries(await this.repository.countWaiting()).map(([step, count]) => [{ step }, count]);
  }

  /**
   * Removes the dead rows of the boxes that this process has sealed: they would otherwise stay in the files, in their old order,
   * until the server removes them. It may take minutes, and sealing goes on meanwhile.
   */
  async removeDeadRows(): Promise<void> {
    if (!this.hasDeadRows) return;
    this.hasDeadRows = false;
    await this.repository.removeDeadRows().catch((error: unknown) => {
      this.hasDeadRows = true;
      throw error;
    });
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
    if (!found) return false;
    if (found.length === 0) {
      this.hasDeadRows = true;
      return true;
    }
    this.logger.error(
      { tenantId, campagneId: id, checks: found },
      'a ballot box is not sealed: checks fail (docs/operations.md, "A ballot box that cannot be sealed")',
    );
    throw new Error(`The ballot box of campaign ${id} is not sealed: ${found.join(', ')} do not agree.`);
  }
}
