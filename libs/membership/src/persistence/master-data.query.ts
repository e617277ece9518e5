import { type FetchPage, type ItemSource, JsonItems } from '#platform/database/json-items';
import type { Transactions } from '#platform/database/transactions';
import { LIST_STATE } from './list-state.sql';

/** Filters of a list of employees or employers. */
export interface MasterDataFilter {
  /** Inclusive lower bound of the last change. */
  modifieDepuis?: Date | null;
}

/** Reads of a kind of master data as JSON text. */
export class MasterDataQuery extends JsonItems {
  constructor(transactions: Transactions, source: Omit<ItemSource, 'state'>) {
    super(transactions, { ...source, state: LIST_STATE });
  }

  list(tenantId: string, { modifieDepuis }: MasterDataFilter): FetchPage {
    return this.pages(tenantId, [{ sql: 'derniere_maj >= ?', value: modifieDepuis, fewBy: 'derniere_maj' }]);
  }
}
