import { Injectable } from '@nestjs/common';
import { JsonItems, type Page, type Position, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';

/** Consent objects as V2 shows them (docs/contract.md, "Consent objects"). */
@Injectable()
export class ObjetConsentementQuery {
  private readonly items: JsonItems;

  constructor(transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'objet_consentement_v2',
      table: 'objet_consentement',
      columns: {
        idExterne: 'id_externe',
        nom: 'nom',
        idUnique: 'id_unique',
        derniereMAJ: wireTimestamp('derniere_maj'),
        dateCreation: wireTimestamp('date_creation'),
      },
    });
  }

  one(tenantId: string, idExterne: string): Promise<string | undefined> {
    return this.items.one(tenantId, idExterne);
  }

  page(tenantId: string, _filter: unknown, after: Position | undefined, limit: number): Promise<Page> {
    return this.items.page(tenantId, after, limit, []);
  }
}
