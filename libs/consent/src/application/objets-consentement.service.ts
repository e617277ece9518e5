import { OBJET_CONSENTEMENT_ACTIONS } from '../domain/consent.actions';
import { OBJET_CONSENTEMENT } from '../domain/consent.errors';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { KeyedRecords } from '#membership';
import { ObjetConsentement } from '../domain/objet-consentement.entity';
import type { ObjetConsentementRecord } from '../domain/objet-consentement.fields';
import { ObjetConsentementQuery } from '../persistence/objet-consentement.query';
import { ObjetConsentementRepository } from '../persistence/objet-consentement.repository';

/** Consent objects of a tenant, one at a time and in lists (docs/contract.md, "Consent objects"). */
@Injectable()
export class ObjetsConsentementService extends KeyedRecords<ObjetConsentement, ObjetConsentementRecord> {
  constructor(
    transactions: Transactions,
    audit: AuditTrail,
    repository: ObjetConsentementRepository,
    query: ObjetConsentementQuery,
  ) {
    super(transactions, audit, {
      actions: OBJET_CONSENTEMENT_ACTIONS,
      repository,
      query,
      keyOf: ({ idExterne }) => idExterne,
      make: (tenantId, { idExterne }) => Object.assign(new ObjetConsentement(), { tenantId, idExterne }),
      notFound: () => new DomainError(OBJET_CONSENTEMENT.NotFound),
    });
  }
}
