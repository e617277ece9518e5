import { Injectable } from '@nestjs/common';
import { JsonItems, Page, Position, wireTimestamp } from '#shared/database/json-items';
import { Transactions } from '#shared/database/transactions';

/** Filters of a list of employees or employers. */
export interface MasterDataFilter {
  /** Inclusive lower bound of the last change. */
  modifieDepuis?: Date | null;
}

/** Employees as V1 shows them (specification, "Employee"). */
@Injectable()
export class EmployeQuery {
  private readonly items: JsonItems;

  constructor(transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'employe_v1',
      table: 'employe',
      columns: {
        idExterne: 'id_externe',
        prenom: 'prenom',
        nom: 'nom',
        noMembre: 'no_membre',
        courriel: 'courriel',
        identifiantExterneEmployeur: 'identifiant_externe_employeur',
        telephonePrincipal: 'telephone_principal',
        adresse1: 'adresse1',
        ville: 'ville',
        province: 'province',
        codePostal: 'code_postal',
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
