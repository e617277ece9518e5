import { type ItemSource, JsonItems, type Page, type Position } from '#platform/database/json-items';
import type { Transactions } from '#platform/database/transactions';

/** Filters of a list of employees or employers. */
export interface MasterDataFilter {
  /** Inclusive lower bound of the last change. */
  modifieDepuis?: Date | null;
}

/** Reads of a kind of master data as JSON text. */
export class MasterDataQuery {
  private readonly items: JsonItems;

  constructor(transactions: Transactions, source: ItemSource) {
    this.items = new JsonItems(transactions, source);
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
      { sql: 'derniere_maj >= ?', value: filter.modifieDepuis, fewBy: 'derniere_maj' },
    ]);
  }
}
