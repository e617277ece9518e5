import { Injectable } from '@nestjs/common';
import { itemColumns, jsonList, jsonObject } from '#platform/database/json-items';
import { LargeItems } from '#platform/database/large-items';
import { Transactions } from '#platform/database/transactions';
import { READ_ONLY_FIELDS } from '../domain/read-only.fields';
import { LIST_STATE } from './list-state.sql';

/** Unions with their employers, as V2 shows them (docs/contract.md, "Unions"). */
@Injectable()
export class SyndicatQuery extends LargeItems {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'syndicat_v2',
      table: 'syndicat',
      state: LIST_STATE,
      columns: {
        identifiantExterne: 'id_externe',
        nom: 'nom',
        employeurs: jsonList(
          jsonObject({ identifiantExterne: 'e.id_externe', nom: 'e.nom' }),
          `FROM syndicat_employeur l JOIN employeur e
             ON e.tenant_id = l.tenant_id AND e.id_externe = l.identifiant_externe_employeur
           WHERE l.tenant_id = $1 AND l.id_externe_syndicat = syndicat.id_externe
           ORDER BY e.date_creation, e.id_unique`,
        ),
        ...itemColumns(READ_ONLY_FIELDS),
      },
    });
  }
}
