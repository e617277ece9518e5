import { type FetchPage, JsonItems } from '#platform/database/json-items';

/** Filters of a list of employees or employers. */
export interface MasterDataFilter {
  /** Inclusive lower bound of the last change. */
  modifieDepuis?: Date | null;
}

/** Reads of a kind of master data as JSON text. */
export class MasterDataQuery extends JsonItems {
  list(tenantId: string, { modifieDepuis }: MasterDataFilter): FetchPage {
    return this.pages(tenantId, [{ sql: 'derniere_maj >= ?', value: modifieDepuis, fewBy: 'derniere_maj' }]);
  }
}
