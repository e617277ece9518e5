import type { EmploiFilter } from '../domain/employe-v2.fields';
import { noEmploye, SYNDICAT } from '../domain/membership.errors';
import { Injectable } from '@nestjs/common';
import type { FetchPage, ItemInParts } from '#platform/database/json-items';
import { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { EmployeV2Query } from '../persistence/employe-v2.query';
import { EmploiQuery } from '../persistence/emploi.query';
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

  listEmployes(tenantId: string, filter: MasterDataFilter): FetchPage {
    return this.employes.list(tenantId, filter);
  }

  /** @throws DomainError `Employe.NotFound` */
  async getEmploye(tenantId: string, idExterne: string): Promise<Json> {
    const item = await this.employes.one(tenantId, idExterne);
    if (!item) throw noEmploye();
    return item;
  }

  listEmplois(tenantId: string, filter: EmploiFilter): FetchPage {
    return this.emplois.list(tenantId, filter);
  }

  listSyndicats(tenantId: string): FetchPage {
    return this.syndicats.pages(tenantId);
  }

  /** @throws DomainError `Syndicat.NotFound` */
  async getSyndicat(tenantId: string, idExterne: string): Promise<ItemInParts> {
    const item = await this.syndicats.oneInParts(tenantId, idExterne);
    if (!item) throw new DomainError(SYNDICAT.NotFound, 'No union has this external identifier.');
    return item;
  }
}
