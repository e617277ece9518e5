import { Injectable } from '@nestjs/common';
import { itemColumns, JsonItems, type Page, type Position } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { OBJET_CONSENTEMENT_FIELDS } from '../domain/objet-consentement.fields';

/** Consent objects as V2 shows them (docs/contract.md, "Consent objects"). */
@Injectable()
export class ObjetConsentementQuery {
  private readonly items: JsonItems;

  constructor(transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'objet_consentement_v2',
      table: 'objet_consentement',
      columns: itemColumns(OBJET_CONSENTEMENT_FIELDS),
    });
  }

  one(tenantId: string, idExterne: string): Promise<string | undefined> {
    return this.items.one(tenantId, idExterne);
  }

  page(tenantId: string, _filter: unknown, after: Position | undefined, limit: number): Promise<Page> {
    return this.items.page(tenantId, after, limit, []);
  }
}
