import type { EmploiFilter } from '../domain/employe-v2.fields';
import { Injectable } from '@nestjs/common';
import type { FetchPage } from '#platform/database/json-items';
import type { Json } from '#platform/database/json';
import { EmployeV2Query } from '../persistence/employe-v2.query';
import { EmploiQuery } from '../persistence/emploi.query';
import { IdentifiantRepository } from '../persistence/identifiant.repository';
import type { MasterDataFilter } from '../persistence/master-data.query';

/** V2 reads of employees and their employments (docs/contract.md, "Employees"). */
@Injectable()
export class EmployesV2Service {
  constructor(
    private readonly employes: EmployeV2Query,
    private readonly emplois: EmploiQuery,
    private readonly identifiants: IdentifiantRepository,
  ) {}

  list(tenantId: string, filter: MasterDataFilter): FetchPage {
    return this.employes.list(tenantId, filter);
  }

  /** @throws DomainError `Employe.NotFound` */
  async get(tenantId: string, idExterne: string): Promise<Json> {
    const item = await this.employes.one(tenantId, idExterne);
    if (!item) throw await this.identifiants.missing(tenantId, idExterne);
    return item;
  }

  listEmplois(tenantId: string, filter: EmploiFilter): FetchPage {
    return this.emplois.list(tenantId, filter);
  }
}
