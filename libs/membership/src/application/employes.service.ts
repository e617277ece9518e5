import { Injectable } from '@nestjs/common';
import type { Page, Position } from '#shared/database/json-items';
import { Transactions } from '#shared/database/transactions';
import { DomainError } from '#shared/errors/domain-error';
import { assertIfMatch, Json } from '#shared/http/etag';
import { Employe } from '../domain/employe.entity';
import type { EmployeRecord } from '../domain/employe.fields';
import { EmployeQuery, MasterDataFilter } from '../persistence/employe.query';
import { EmployeRepository } from '../persistence/employe.repository';

/** Employees of a tenant, one at a time and in lists (specification, "Employees"; decisions, section 5). */
@Injectable()
export class EmployesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly employes: EmployeRepository,
    private readonly query: EmployeQuery,
  ) {}

  page(
    tenantId: string,
    filter: MasterDataFilter,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    return this.query.page(tenantId, filter, after, limit);
  }

  /** @throws DomainError `Employe.NotFound` */
  async get(tenantId: string, idExterne: string): Promise<Json> {
    return (await this.query.one(tenantId, idExterne)) ?? notFound();
  }

  /** @throws DomainError `Employe.IdExterneDejaUtilise`, `Employe.EmployeurInconnu` */
  async create(tenantId: string, record: EmployeRecord): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const employe = Object.assign(new Employe(), { tenantId, idExterne: record.idExterne });
      employe.replaceWith(record);
      await this.employes.insert(employe);
      return this.get(tenantId, record.idExterne);
    });
  }

  /**
   * Replaces every writable field. A record that changes nothing keeps its `derniereMAJ`.
   *
   * @throws DomainError `Employe.NotFound`, `Precondition.Echouee`, `Employe.EmployeurInconnu`
   */
  async replace(tenantId: string, record: EmployeRecord, ifMatch?: string): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const employe = (await this.employes.lock(tenantId, record.idExterne)) ?? notFound();
      const before = await this.get(tenantId, record.idExterne);
      assertIfMatch(ifMatch, before);
      const known = JSON.stringify(employe);
      employe.replaceWith(record);
      if (JSON.stringify(employe) === known) return before;
      await this.employes.update(employe);
      return this.get(tenantId, record.idExterne);
    });
  }

  /** @throws DomainError `Employe.NotFound`, `Precondition.Echouee` */
  async delete(tenantId: string, idExterne: string, ifMatch?: string): Promise<void> {
    await this.transactions.run({ tenantId }, async () => {
      const employe = (await this.employes.lock(tenantId, idExterne)) ?? notFound();
      assertIfMatch(ifMatch, await this.get(tenantId, idExterne));
      await this.employes.delete(employe);
    });
  }
}

function notFound(): never {
  throw new DomainError('Employe.NotFound', 'No employee has this external identifier.');
}
