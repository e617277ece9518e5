import { Injectable } from '@nestjs/common';
import {
  JsonItems,
  jsonObject,
  type Page,
  type Position,
  wireTimestamp,
} from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';

/** Filters of the list of consents, combined with AND. */
export interface ConsentementFilter {
  /** Inclusive lower bound of the date of consent. */
  depuis?: Date | null;
  idExterneEmploye?: string | null;
}

/** Consents as partners read them, oldest first (docs/contract.md, "Consents"). */
@Injectable()
export class ConsentementQuery {
  private readonly items: JsonItems;

  constructor(transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'consentement_v1',
      table: 'consentement',
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

  /** @param id the service's own id of the consent */
  one(tenantId: string, id: string): Promise<string | undefined> {
    return this.items.one(tenantId, id);
  }

  page(
    tenantId: string,
    filter: ConsentementFilter,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    return this.items.page(tenantId, after, limit, [
      { sql: 'date_consentement >= ?', value: filter.depuis },
      { sql: 'id_externe_employe = ?', value: filter.idExterneEmploye },
    ]);
  }
}
