import { EMPLOYE } from '../domain/membership.errors';
import { Controller, Delete, Get, Headers, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { type Listing, listOf } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { EmployesService } from '../application/employes.service';
import { EmployeInput, EmployeItem } from './employes.dto';
import { MasterDataList } from './master-data.dto';

const idExterne = { description: 'External identifier of the employee.', example: 'E-1001' };
const PATH = '/b2b/v1/employe';

@ApiTags('Employees')
@Requires({ role: 'partenaire' })
@Controller('b2b/v1/employe')
export class EmployesController {
  constructor(private readonly employes: EmployesService) {}

  @Get()
  @Answers({
    summary: 'List the employees',
    type: [EmployeItem],
    paged: true,
    etag: true,
    csv: { file: 'employes' },
  })
  list(@Tenant() tenantId: string, @Query() query: MasterDataList): Listing {
    return listOf(query, this.employes.list(tenantId, query));
  }

  @Get(':idExterne')
  @Answers({
    summary: 'Read an employee',
    path: { idExterne },
    type: EmployeItem,
    etag: true,
    errors: [EMPLOYE.NotFound],
  })
  get(@Tenant() tenantId: string, @Param('idExterne') idExterne: string): Promise<Json> {
    return this.employes.get(tenantId, idExterne);
  }

  @Post()
  @Answers({
    summary: 'Create an employee',
    bodyExample: {
      idExterne: 'E-2001',
      prenom: 'Noémie',
      nom: 'Tremblay',
      courriel: 'noemie.tremblay@example.org',
      identifiantExterneEmployeur: 'EMP-100',
    },
    status: 201,
    type: EmployeItem,
    location: true,
    etag: true,
    errors: [EMPLOYE.IdExterneDejaUtilise, EMPLOYE.EmployeurInconnu],
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: EmployeInput,
  ): Promise<Located> {
    const item = await this.employes.create(tenantId, actor, body);
    return new Located(`${PATH}/${encodeURIComponent(body.idExterne)}`, item);
  }

  @Put()
  @Answers({
    summary: 'Replace an employee',
    description:
      'idExterne in the body selects the employee. Every writable field is replaced; an absent one is cleared.',
    type: EmployeItem,
    etag: true,
    ifMatch: true,
    errors: [EMPLOYE.NotFound, EMPLOYE.EmployeurInconnu],
  })
  replace(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: EmployeInput,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.employes.replace(tenantId, actor, body, ifMatch);
  }

  @Delete(':idExterne')
  @Answers({
    summary: 'Delete an employee',
    path: { idExterne: { ...idExterne, example: 'E-1003' } },
    status: 204,
    ifMatch: true,
    errors: [EMPLOYE.NotFound, EMPLOYE.LieCampagneActive, EMPLOYE.LieAdhesions],
  })
  async delete(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Param('idExterne') idExterne: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.employes.delete(tenantId, actor, idExterne, ifMatch);
  }
}
