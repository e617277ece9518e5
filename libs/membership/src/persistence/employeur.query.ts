import { Injectable } from '@nestjs/common';
import { jsonText } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { MasterDataQuery } from './master-data.query';

/** Employers as V1 shows them (docs/contract.md, "Employers"). */
@Injectable()
export class EmployeurQuery extends MasterDataQuery {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'employeur_v1',
      table: 'employeur',
      columns: jsonText('json_identite', 'json_lecture'),
    });
  }
}
