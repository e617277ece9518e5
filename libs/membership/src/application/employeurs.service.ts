import { Injectable } from '@nestjs/common';
import type { Page, Position } from '#shared/database/json-items';
import { Transactions } from '#shared/database/transactions';
import { DomainError } from '#shared/errors/domain-error';
import { assertIfMatch, Json } from '#shared/http/etag';
import { Employeur } from '../domain/employeur.entity';
import type { EmployeurRecord } from '../domain/employeur.fields';
import type { MasterDataFilter } from '../persistence/employe.query';
import { EmployeurQuery } from '../persistence/employeur.query';
import { EmployeurRepository } from '../persistence/employeur.repository';

/** Employers of a tenant, one at a time and in lists (specification, "Employers"; decisions, section 5). */
@Injectable()
export class EmployeursService {
  constructor(
    private readonly transactions: Transactions,
    private readonly employeurs: EmployeurRepository,
    private readonly query: EmployeurQuery,
  ) {}

  page(
    tenantId: string,
    filter: MasterDataFilter,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    return this.query.page(tenantId, filter, after, limit);
  }

  /** @throws DomainError `Employeur.NotFound` */
  async get(tenantId: string, idExterne: string): Promise<Json> {
    return (await this.query.one(tenantId, idExterne)) ?? notFound();
  }

  /** @throws DomainError `Employeur.IdExterneDejaUtilise` */
  async create(tenantId: string, record: EmployeurRecord): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const employeur = Object.assign(new Employeur(), { tenantId, idExterne: record.idExterne });
      employeur.replaceWith(record);
      await this.employeurs.insert(employeur);
      return this.get(tenantId, record.idExterne);
    });
  }

  /**
   * Replaces every writable field. A record that changes nothing keeps its `derniereMAJ`.
   *
   * @throws DomainError `Employeur.NotFound`, `Precondition.Echouee`
   */
  async replace(tenantId: string, record: EmployeurRecord, ifMatch?: string): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const employeur = (await this.employeurs.lock(tenantId, record.idExterne)) ?? notFound();
      const before = await this.get(tenantId, record.idExterne);
      assertIfMatch(ifMatch, before);
      const known = JSON.stringify(employeur);
      employeur.replaceWith(record);
      if (JSON.stringify(employeur) === known) return before;
      await this.employeurs.update(employeur);
      return this.get(tenantId, record.idExterne);
    });
  }

  /** @throws DomainError `Employeur.NotFound`, `Precondition.Echouee`, `Employeur.EmploisActifs` */
  async delete(tenantId: string, idExterne: string, ifMatch?: string): Promise<void> {
    await this.transactions.run({ tenantId }, async () => {
      const employeur = (await this.employeurs.lock(tenantId, idExterne)) ?? notFound();
      assertIfMatch(ifMatch, await this.get(tenantId, idExterne));
      await this.employeurs.delete(employeur);
    });
  }
}

function notFound(): never {
  throw new DomainError('Employeur.NotFound', 'No employer has this external identifier.');
}
