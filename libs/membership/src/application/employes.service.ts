import { EMPLOYE_ACTIONS } from '../domain/membership.actions';
import { EMPLOYE } from '../domain/membership.errors';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { KeyedRecords } from './keyed-records';
import { Employe } from '../domain/employe.entity';
import type { EmployeRecord } from '../domain/employe.fields';
import { EmployeQuery } from '../persistence/employe.query';
import { EmployeRepository } from '../persistence/employe.repository';
import { IdentifiantRepository } from '../persistence/identifiant.repository';
import type { MasterDataFilter } from '../persistence/master-data.query';
import { ActiveCampaigns } from './active-campaigns';
import { DeletionNotes } from './deletion-notes';

/** Employees of a tenant, one at a time and in lists (docs/contract.md, "Employees"). */
@Injectable()
export class EmployesService extends KeyedRecords<Employe, EmployeRecord, MasterDataFilter> {
  constructor(
    transactions: Transactions,
    audit: AuditTrail,
    private readonly repository: EmployeRepository,
    query: EmployeQuery,
    identifiants: IdentifiantRepository,
    private readonly campaigns: ActiveCampaigns,
    private readonly notes: DeletionNotes,
  ) {
    super(transactions, audit, {
      actions: EMPLOYE_ACTIONS,
      repository,
      query,
      keyOf: ({ idExterne }) => idExterne,
      make: (tenantId, { idExterne }) =>
        Object.assign(new Employe(), { tenantId, idExterne, aEmplois: false }),
      notFound: (tenantId, idExterne) => identifiants.missing(tenantId, idExterne),
    });
  }

  override async replace(
    tenantId: string,
    actor: Actor,
    record: EmployeRecord,
    ifMatch?: string,
  ): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const item = await super.replace(tenantId, actor, record, ifMatch);
      const employeur = record.identifiantExterneEmployeur ?? null;
      const moved = await this.repository.writeEmployeurV1(tenantId, record.idExterne, employeur);
      if (!moved) return item;
      const { idUnique } = JSON.parse(item) as { idUnique: string };
      this.note(tenantId, actor, 'modifier', idUnique);
      return this.get(tenantId, record.idExterne);
    });
  }

  /** Asks before cards are locked, as the deletion of a card does. @throws DomainError `Employe.LieCampagneActive` */
  protected override async beforeDelete({ tenantId, idExterne, idUnique }: Employe): Promise<void> {
    if (await this.campaigns.check.hasVoter(tenantId, idExterne)) {
      throw new DomainError(EMPLOYE.LieCampagneActive);
    }
    await this.campaigns.check.release(tenantId, idExterne);
    await this.notes.writer.note({ tenantId, idExterne, idUnique });
  }
}
