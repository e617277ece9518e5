import { Injectable } from '@nestjs/common';
import { BulkResult, BulkUpsert } from '#platform/bulk/bulk-upsert';
import { Transactions } from '#platform/database/transactions';
import { OBJET_CONSENTEMENT_FIELDS, OBJET_CONSENTEMENT_V2_FIELDS } from '../domain/objet-consentement.fields';

/** Upserts of many consent objects, in the ambient transaction. */
@Injectable()
export class ObjetConsentementBulk {
  private readonly objets = new BulkUpsert('objet_consentement', OBJET_CONSENTEMENT_FIELDS, {
    list: 'objetsConsentement',
  });

  private readonly objetsV2 = new BulkUpsert('objet_consentement', OBJET_CONSENTEMENT_V2_FIELDS, {
    list: 'ObjetsConsentement',
    identifier: 'IdExterne',
  });

  constructor(private readonly transactions: Transactions) {}

  upsert(tenantId: string, records: Iterable<unknown>): Promise<BulkResult> {
    return this.objets.run(this.transactions.client(), tenantId, records);
  }

  /** Upserts records with V2's names. */
  upsertV2(tenantId: string, records: Iterable<unknown>): Promise<BulkResult> {
    return this.objetsV2.run(this.transactions.client(), tenantId, records);
  }
}
