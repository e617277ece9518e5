import { AUTORISATION_PAIEMENT_ACTIONS, PAIEMENT_ACTIONS } from '../domain/adhesion.actions';
import { ADHESION } from '../domain/adhesion.errors';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import type { AutorisationRecord, PaiementRecord } from '../domain/paiement.fields';
import { PaiementRepository } from '../persistence/paiement.repository';

/**
 * Links between cards and payments, which keep the cards from being deleted (docs/contract.md, "Signing"). A link and a
 * deletion at the same time wait for each other at the card: one of the two is refused.
 */
@Injectable()
export class PaiementsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: PaiementRepository,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DomainError `Adhesion.NotFound` */
  async add(tenantId: string, actor: Actor, adhesionId: string, record: PaiementRecord): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      if (!(await this.repository.markPaid(tenantId, adhesionId))) throw noAdhesion();
      const { id, item } = await this.repository.insert(tenantId, adhesionId, record);
      this.audit.record(tenantId, actor, PAIEMENT_ACTIONS.creer, [id]);
      return item;
    });
  }

  /** @throws DomainError `Adhesion.NotFound` */
  async addAutorisation(
    tenantId: string,
    actor: Actor,
    adhesionId: string,
    record: AutorisationRecord,
  ): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      if (!(await this.repository.hold(tenantId, adhesionId))) throw noAdhesion();
      const { id, item } = await this.repository.insertAutorisation(tenantId, adhesionId, record.reference);
      this.audit.record(tenantId, actor, AUTORISATION_PAIEMENT_ACTIONS.creer, [id]);
      return item;
    });
  }
}

function noAdhesion(): DomainError {
  return new DomainError(ADHESION.NotFound);
}
