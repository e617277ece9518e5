import { EMPLOYE } from '../domain/membership.errors';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { type Listing, listOf } from '#platform/http/listing';
import { Query } from '#platform/input/request-parts.decorator';
import { EmployesV2Service } from '../application/employes-v2.service';
import { EmploiList, EmploiTrouveItem, EmployeV2Item } from './employes-v2.dto';
import { MasterDataList } from './master-data.dto';

@ApiTags('Employees, V2')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2')
export class EmployesV2Controller {
  constructor(private readonly employes: EmployesV2Service) {}

  @Get('employe')
  @Answers({
    summary: 'List the employees with employments, memberships and custom values',
    type: [EmployeV2Item],
    paged: true,
    etag: true,
    csv: { file: 'employes' },
  })
  list(@Tenant() tenantId: string, @Query() query: MasterDataList): Listing {
    return listOf(query, this.employes.list(tenantId, query));
  }

  @Get('employe/:idExterne')
  @Answers({
    summary: 'Read an employee with employments, memberships and custom values',
    path: { idExterne: { description: 'External identifier of the employee.', example: 'E-1001' } },
    type: EmployeV2Item,
    etag: true,
    errors: [EMPLOYE.NotFound],
  })
  get(@Tenant() tenantId: string, @Param('idExterne') idExterne: string): Promise<Json> {
    return this.employes.get(tenantId, idExterne);
  }

  @Get('emploi')
  @Answers({
    summary: 'Search employments',
    description: 'Filters combine with AND. Without any, all employments are listed, active and ended.',
    type: [EmploiTrouveItem],
    paged: true,
    etag: true,
    csv: { file: 'emplois' },
  })
  listEmplois(@Tenant() tenantId: string, @Query() query: EmploiList): Listing {
    return listOf(query, this.employes.listEmplois(tenantId, query));
  }
}
