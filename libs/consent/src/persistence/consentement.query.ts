import { Injectable } from '@nestjs/common';
import { LIST_STATE } from '#membership/relations';
import { type FetchPage, JsonItems, jsonObject, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import type { ConsentementFilter } from '../domain/consentement.fields';

/** Consents as partners read them, oldest first (docs/contract.md, "Consents"). */
@Injectable()
export class ConsentementQuery extends JsonItems {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'consentement_v1',
      table: 'consentement',
      state: LIST_STATE,
      key: 'id_unique',
      order: { by: 'date_consentement' },
      columns: {
        idExterneEmploye: 'id_externe_employe',
        objetConsentement: jsonObject({
          idExterne: 'id_externe_objet',
          nom: '(SELECT o.nom FROM objet_consentement o WHERE o.tenant_id = $1 AND o.id_externe = id_externe_objet)',
        }),
        accepte: 'accepte',
        dateConsentement: wireTimestamp('date_consentement'),
        valeursChampUtilisateur: 'valeurs_champ',
      },
    });
  }

  list(tenantId: string, filter: ConsentementFilter, employe?: string): FetchPage {
    return this.pages(tenantId, [
      { sql: 'date_consentement >= ?', value: filter.depuis },
      { sql: 'id_externe_employe = ?', value: employe },
    ]);
  }
}
