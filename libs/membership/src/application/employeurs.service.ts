import { EMPLOYEUR_ACTIONS } from '../domain/membership.actions';
import { EMPLOYEUR } from '../domain/membership.errors';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { KeyedRecords } from './keyed-records';
import { Employeur } from '../domain/employeur.entity';
import type { EmployeurRecord } from '../domain/employeur.fields';
import { EmployeurQuery } from '../persistence/employeur.query';
import { EmployeurRepository } from '../persistence/employeur.repository';
import type { MasterDataFilter } from '../persistence/master-data.query';

/** Employers of a tenant, one at a time and in lists (docs/contract.md, "Employers"). */
@Injectable()
export class EmployeursService extends KeyedRecords<Employeur, EmployeurRecord, MasterDataFilter> {
  constructor(
    transactions: Transactions,
    audit: AuditTrail,
    repository: EmployeurRepository,
    query: EmployeurQuery,
  ) {
    super(transactions, audit, {
      actions: EMPLOYEUR_ACTIONS,
      repository,
      query,
      keyOf: ({ idExterne }) => idExterne,
      make: (tenantId, { idExterne }) => Object.assign(new Employeur(), { tenantId, idExterne }),
      notFound: () => new DomainError(EMPLOYEUR.NotFound),
    });
  }
}
