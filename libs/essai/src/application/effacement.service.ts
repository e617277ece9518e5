import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { afterSyncs } from '#sync';
import { ESSAI_ACTIONS } from '../domain/essai.actions';
import { EffacementRepository } from '../persistence/effacement.repository';
import { HorlogeService } from './horloge.service';

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
   * Removes all rows in one transaction, so other requests see all or nothing, and an interrupted erasure has removed nothing. Syncs
   * that run end first, and further ones wait.
   *
   * @throws DomainError `Essai.AvanceEnCours`
   */
  async erase(tenantId: string, actor: Actor): Promise<void> {
    await afterSyncs(this.transactions, tenantId, async () => {
      await this.horloges.reset(tenantId);
      await this.repository.erase();
      this.audit.record(tenantId, actor, ESSAI_ACTIONS.effacer, [tenantId]);
    });
  }
}
