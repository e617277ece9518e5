import { Injectable } from '@nestjs/common';
import { LIST_STATE } from '#membership/relations';
import { type FetchPage, itemColumns, JsonItems } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { OBJET_CONSENTEMENT_FIELDS } from '../domain/objet-consentement.fields';

/** Consent objects as V2 shows them (docs/contract.md, "Consent objects"). */
@Injectable()
export class ObjetConsentementQuery extends JsonItems {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'objet_consentement_v2',
      table: 'objet_consentement',
      state: LIST_STATE,
      columns: itemColumns(OBJET_CONSENTEMENT_FIELDS),
    });
  }

  list(tenantId: string): FetchPage {
    return this.pages(tenantId);
  }
}
