import { Injectable } from '@nestjs/common';
import { JsonItems, Page, Position, wireTimestamp } from '#shared/database/json-items';
import { Transactions } from '#shared/database/transactions';
import type { MasterDataFilter } from './employe.query';

/** Employers as V1 shows them (decisions, section 5). */
@Injectable()
export class EmployeurQuery {
  private readonly items: JsonItems;

  constructor(transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'employeur_v1',
      table: 'employeur',
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

  page(
    tenantId: string,
    filter: MasterDataFilter,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    return this.items.page(tenantId, after, limit, [
      { sql: 'derniere_maj >= ?', value: filter.modifieDepuis },
    ]);
  }
}
