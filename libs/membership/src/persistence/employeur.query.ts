import { Injectable } from '@nestjs/common';
import { wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { MasterDataQuery } from './master-data.query';

/** Employers as V1 shows them (docs/contract.md, "Employers"). */
@Injectable()
export class EmployeurQuery extends MasterDataQuery {
  constructor(transactions: Transactions) {
    super(transactions, {
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
}
