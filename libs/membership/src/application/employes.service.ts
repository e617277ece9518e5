import { Injectable } from '@nestjs/common';
import { Transactions } from '#shared/database/transactions';
import type { Json } from '#shared/http/etag';
import { KeyedRecords } from '#shared/records/keyed-records';
import { Employe } from '../domain/employe.entity';
import type { EmployeRecord } from '../domain/employe.fields';
import { EmployeQuery } from '../persistence/employe.query';
import { EmployeRepository } from '../persistence/employe.repository';
import type { MasterDataFilter } from '../persistence/master-data.query';

/** Employees of a tenant, one at a time and in lists (specification, "Employees"; decisions, section 5). */
@Injectable()
export class EmployesService extends KeyedRecords<Employe, EmployeRecord, MasterDataFilter> {
  constructor(
    transactions: Transactions,
    private readonly repository: EmployeRepository,
    query: EmployeQuery,
  ) {
    super(transactions, {
      repository,
      query,
      make: (keys) => Object.assign(new Employe(), keys, { aEmplois: false }),
      notFound: { code: 'Employe.NotFound', detail: 'No employee has this external identifier.' },
    });
  }

  override async replace(tenantId: string, record: EmployeRecord, ifMatch?: string): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const item = await super.replace(tenantId, record, ifMatch);
      const employeur = record.identifiantExterneEmployeur ?? null;
      const moved = await this.repository.writeEmployeurV1(tenantId, record.idExterne, employeur);
      return moved ? this.get(tenantId, record.idExterne) : item;
    });
  }
}
