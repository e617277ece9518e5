import { Injectable } from '@nestjs/common';
import { employeV1, LIST_STATE, syndicatNom } from '#membership/relations';
import {
  type FetchPage,
  JsonItems,
  jsonScalars,
  jsonText,
  wireTimestamp,
} from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import type { AdhesionV1Filter } from '../domain/adhesion.fields';

/** Cards as V1 shows them: with the employee as it is now (docs/contract.md, "Lists of cards"). */
@Injectable()
export class AdhesionV1Query extends JsonItems {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'adhesion_v1',
      table: 'adhesion',
      state: LIST_STATE,
      order: { by: 'date_signature', newestFirst: true },
      columns: jsonText(
        jsonScalars({
          dateSignature: wireTimestamp('adhesion.date_signature'),
          courriel: 'adhesion.courriel',
          idUnique: 'adhesion.id_unique',
          idUniqueAdhesion: 'adhesion.id_unique',
          transactionId: 'adhesion.transaction_id',
          aSignatureManuscripte: 'adhesion.a_signature_manuscrite',
          syndicatIdExterne: 'adhesion.syndicat_id_externe',
          syndicatNom: syndicatNom('adhesion.syndicat_id_externe'),
        }),
        { employe: employeV1('adhesion.id_externe_employe') },
      ),
    });
  }

  list(tenantId: string, filter: AdhesionV1Filter): FetchPage {
    return this.pages(tenantId, [
      { sql: 'date_signature >= ?', value: filter.apres },
      { sql: 'id_externe_employe = ?', value: filter.idExterne },
    ]);
  }
}
