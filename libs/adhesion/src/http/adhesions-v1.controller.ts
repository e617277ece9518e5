import { EMPLOYE } from '#membership';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires, Tenant } from '#access/requires.decorator';
import { Config } from '#platform/ops/config';
import { Answers } from '#platform/http/answers.decorator';
import { type Page, type Position, sendList } from '#platform/http/listing';
import { Query } from '#platform/input/request-parts.decorator';
import { AdhesionsService } from '../application/adhesions.service';
import { AdhesionV1Item, AdhesionV1List, AdhesionV1OfEmployeList } from './adhesions.dto';

const SUCCESSOR = '/b2b/v2/adhesion';

@ApiTags('Signed cards')
@Requires({ role: 'partenaire', module: 'carteMembre' })
@Controller('b2b/v1/adhesion')
export class AdhesionsV1Controller {
  constructor(
    private readonly adhesions: AdhesionsService,
    private readonly config: Config,
  ) {}

  @Get()
  @Answers({
    summary: 'List the signed cards with the employees as they are now',
    description: 'Newest signature first. V2 shows the members as signed.',
    type: [AdhesionV1Item],
    paged: true,
    successor: SUCCESSOR,
  })
  async list(
    @Tenant() tenantId: string,
    @Query() query: AdhesionV1List,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const fetch = (after: Position | undefined, limit: number): Promise<Page> =>
      this.adhesions.pageV1(tenantId, query, after, limit);
    await sendList(request, response, this.config.publicUrl, query, fetch);
  }

  @Get(':idExterne')
  @Answers({
    summary: 'List the signed cards of an employee',
    description: 'Newest signature first.',
    path: { idExterne: { description: 'External identifier of the employee.', example: 'E-1001' } },
    type: [AdhesionV1Item],
    paged: true,
    successor: SUCCESSOR,
    errors: [EMPLOYE.NotFound],
  })
  async listOfEmploye(
    @Tenant() tenantId: string,
    @Param('idExterne') idExterne: string,
    @Query() query: AdhesionV1OfEmployeList,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const fetch = (after: Position | undefined, limit: number): Promise<Page> =>
      this.adhesions.pageV1OfEmploye(tenantId, idExterne, query, after, limit);
    await sendList(request, response, this.config.publicUrl, query, fetch);
  }
}
