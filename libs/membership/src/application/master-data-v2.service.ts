import { EMPLOYE, SYNDICAT } from '../domain/membership.errors';
import { Injectable } from '@nestjs/common';
import type { Page, Position } from '#platform/database/json-items';
import { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { dayOf } from '#platform/input/wire-date';
import { EmployeV2Query } from '../persistence/employe-v2.query';
import { type EmploiFilter, EmploiQuery } from '../persistence/emploi.query';
import type { MasterDataFilter } from '../persistence/master-data.query';
import { SyndicatQuery } from '../persistence/syndicat.query';

/** V2 reads of employees, their employments and unions (docs/contract.md, "Employees"). */
@Injectable()
export class MasterDataV2Service {
  constructor(
    private readonly employes: EmployeV2Query,
    private readonly emplois: EmploiQuery,
    private readonly syndicats: SyndicatQuery,
  ) {}

  listEmployes(
    tenantId: string,
    filter: MasterDataFilter,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    return this.employes.page(tenantId, filter, after, limit);
  }

  /** @throws DomainError `Employe.NotFound` */
  async getEmploye(tenantId: string, idExterne: string): Promise<Json> {
    const item = await this.employes.one(tenantId, idExterne);
    if (!item) throw new DomainError(EMPLOYE.NotFound, 'No employee has this external identifier.');
    return item;
  }

  /** @param filter `actifLe` stands for its day in UTC, whatever its time */
  listEmplois(
    tenantId: string,
    filter: EmploiFilter,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    const { actifLe } = filter;
    const day = actifLe && dayOf(actifLe);
    return this.emplois.page(tenantId, { ...filter, actifLe: day ?? null }, after, limit);
  }

  listSyndicats(tenantId: string, after: Position | undefined, limit: number): Promise<Page> {
    return this.syndicats.page(tenantId, {}, after, limit);
  }

  /** @throws DomainError `Syndicat.NotFound` */
  async getSyndicat(tenantId: string, idExterne: string): Promise<Json> {
    const item = await this.syndicats.one(tenantId, idExterne);
    if (!item) throw new DomainError(SYNDICAT.NotFound, 'No union has this external identifier.');
    return item;
  }
}
