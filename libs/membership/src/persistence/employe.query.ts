import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import { EMPLOYE_V1 } from './employe-v1.sql';
import { MasterDataQuery } from './master-data.query';

/** Employees as V1 shows them (docs/contract.md, "Employees"). */
@Injectable()
export class EmployeQuery extends MasterDataQuery {
  constructor(transactions: Transactions) {
    super(transactions, { name: 'employe_v1', table: 'employe', columns: EMPLOYE_V1 });
  }
}
