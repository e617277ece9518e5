import { Injectable } from '@nestjs/common';
import { itemColumns } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { EMPLOYEUR_FIELDS } from '../domain/employeur.fields';
import { MasterDataQuery } from './master-data.query';

/** Employers as V1 shows them (docs/contract.md, "Employers"). */
@Injectable()
export class EmployeurQuery extends MasterDataQuery {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'employeur_v1',
      table: 'employeur',
      columns: itemColumns(EMPLOYEUR_FIELDS),
    });
  }
}
