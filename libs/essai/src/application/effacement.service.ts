import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { afterSyncs } from '#sync';
import { ESSAI_ACTIONS } from '../domain/essai.actions';
import { EffacementRepository } from '../persistence/effacement.repository';
import { HorlogeService } from './horloge.service';

/** Rows that one step removes. */
const ROWS_A_STEP = 2_000;

/** Erasure of all data of a staging data space. */
@Injectable()
export class EffacementService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: EffacementRepository,
    private readonly horloges: HorlogeService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Removes all rows, step by step. Each step commits, so a repetition goes on where an interrupted one was. Syncs that run end first,
   * and what others write meanwhile is removed, too.
   *
   * @throws DomainError `Essai.AvanceEnCours`
   */
  async erase(tenantId: string, actor: Actor): Promise<void> {
    await this.transactions.run({ tenantId }, () => this.horloges.reset(tenantId));
    const step = (): Promise<number> => this.repository.step(ROWS_A_STEP);
    let removed: number;
    do removed = await afterSyncs(this.transactions, tenantId, step);
    while (removed > 0);
    await this.transactions.run({ tenantId }, async () =>
      this.audit.record(tenantId, actor, ESSAI_ACTIONS.effacer, [tenantId]),
    );
  }
}
