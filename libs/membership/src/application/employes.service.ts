import { Injectable } from '@nestjs/common';
import { Transactions } from '#shared/database/transactions';
import { KeyedRecords } from '#shared/records/keyed-records';
import { Employe } from '../domain/employe.entity';
import type { EmployeRecord } from '../domain/employe.fields';
import { EmployeQuery } from '../persistence/employe.query';
import { EmployeRepository } from '../persistence/employe.repository';
import type { MasterDataFilter } from '../persistence/master-data.query';

/** Employees of a tenant, one at a time and in lists (specification, "Employees"; decisions, section 5). */
@Injectable()
export class EmployesService extends KeyedRecords<Employe, EmployeRecord, MasterDataFilter> {
  constructor(transactions: Transactions, repository: EmployeRepository, query: EmployeQuery) {
    super(transactions, {
      repository,
      query,
      make: (keys) => Object.assign(new Employe(), keys),
      notFound: { code: 'Employe.NotFound', detail: 'No employee has this external identifier.' },
    });
  }
}
