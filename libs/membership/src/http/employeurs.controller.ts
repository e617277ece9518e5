import { EMPLOYEUR } from '../domain/membership.errors';
import { Controller, Delete, Get, Headers, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { type Listing, listOf } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { EmployeursService } from '../application/employeurs.service';
import { EmployeurInput, EmployeurItem } from './employeurs.dto';
import { MasterDataList } from './master-data.dto';

const idExterne = { description: 'External identifier of the employer.', example: 'EMP-100' };
const PATH = '/b2b/v1/employeur';

@ApiTags('Employers')
@Requires({ role: 'partenaire' })
@Controller('b2b/v1/employeur')
export class EmployeursController {
  constructor(private readonly employeurs: EmployeursService) {}

  @Get()
  @Answers({
    summary: 'List the employers',
    type: [EmployeurItem],
    paged: true,
    etag: true,
    csv: { file: 'employeurs' },
  })
  list(@Tenant() tenantId: string, @Query() query: MasterDataList): Listing {
    return listOf(query, this.employeurs.list(tenantId, query));
  }

  @Get(':idExterne')
  @Answers({
    summary: 'Read an employer',
    path: { idExterne },
    type: EmployeurItem,
    etag: true,
    errors: [EMPLOYEUR.NotFound],
  })
  get(@Tenant() tenantId: string, @Param('idExterne') idExterne: string): Promise<Json> {
    return this.employeurs.get(tenantId, idExterne);
  }

  @Post()
  @Answers({
    summary: 'Create an employer',
    bodyExample: { idExterne: 'EMP-400', nom: 'Scierie des Chic-Chocs' },
    status: 201,
    type: EmployeurItem,
    location: true,
    etag: true,
    errors: [EMPLOYEUR.IdExterneDejaUtilise],
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: EmployeurInput,
  ): Promise<Located> {
    const item = await this.employeurs.create(tenantId, actor, body);
    return new Located(`${PATH}/${encodeURIComponent(body.idExterne)}`, item);
  }

  @Put()
  @Answers({
    summary: 'Replace an employer',
    description:
      'idExterne in the body selects the employer. Every writable field is replaced; an absent one is cleared.',
    type: EmployeurItem,
    etag: true,
    ifMatch: true,
    errors: [EMPLOYEUR.NotFound],
  })
  replace(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: EmployeurInput,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.employeurs.replace(tenantId, actor, body, ifMatch);
  }

  @Delete(':idExterne')
  @Answers({
    summary: 'Delete an employer',
    description: 'Refused while an employment is active or to come; employments that have ended go with it.',
    path: { idExterne: { ...idExterne, example: 'EMP-300' } },
    status: 204,
    ifMatch: true,
    errors: [EMPLOYEUR.NotFound, EMPLOYEUR.EmploisActifs],
  })
  async delete(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Param('idExterne') idExterne: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.employeurs.delete(tenantId, actor, idExterne, ifMatch);
  }
}
