import { Injectable } from '@nestjs/common';
import { BulkResult, BulkUpsert } from '#shared/database/bulk-upsert';
import { Transactions } from '#shared/database/transactions';
import { OBJET_CONSENTEMENT_FIELDS } from '../domain/objet-consentement.fields';

/** Upserts of many consent objects, in the ambient transaction. */
@Injectable()
export class ObjetConsentementBulk {
  private readonly objets = new BulkUpsert('objet_consentement', OBJET_CONSENTEMENT_FIELDS);

  constructor(private readonly transactions: Transactions) {}

  upsert(tenantId: string, records: Iterable<unknown>): Promise<BulkResult> {
    return this.objets.run(this.transactions.client(), tenantId, records);
  }
}
