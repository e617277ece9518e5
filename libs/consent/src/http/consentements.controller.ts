import { EMPLOYE } from '#membership';
import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { ConsentementsService } from '../application/consentements.service';
import { ConsentementInput, ConsentementItem, ConsentementList } from './consentements.dto';

const PATH = '/b2b/v1/consentement';

@ApiTags('Consents')
@Controller()
export class ConsentementsController {
  constructor(private readonly consentements: ConsentementsService) {}

  @Get('b2b/v1/consentement')
  @Requires({ role: 'partenaire' })
  @Answers({
    summary: 'List the consents',
    description: 'The whole history, oldest consent first.',
    type: [ConsentementItem],
    paged: true,
    etag: true,
  })
  list(@Tenant() tenantId: string, @Query() query: ConsentementList): Listing {
    return listOf(query, this.consentements.list(tenantId, query));
  }

  @Get('b2b/v1/consentement/:idExterne')
  @Requires({ role: 'partenaire' })
  @Answers({
    summary: 'List the consents of an employee',
    description: 'The whole history of the employee, oldest consent first.',
    path: { idExterne: { description: 'External identifier of the employee.', example: 'E-1001' } },
    type: [ConsentementItem],
    paged: true,
    etag: true,
    errors: [EMPLOYE.NotFound],
  })
  listOfEmploye(
    @Tenant() tenantId: string,
    @Param('idExterne') idExterne: string,
    @Query() query: PagingQuery,
  ): Listing {
    return listOf(query, this.consentements.listOfEmploye(tenantId, idExterne));
  }

  @Post('plateforme/v1/consentements')
  @Requires({ role: 'plateforme' })
  @Answers({
    summary: 'Add a consent',
    description:
      'Adds to the history of an employee: an earlier answer to the same object stays. `Location` is where partners read it.',
    status: 201,
    type: ConsentementItem,
    location: true,
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: ConsentementInput,
  ): Promise<Located> {
    const item = await this.consentements.add(tenantId, actor, body);
    return new Located(`${PATH}/${encodeURIComponent(body.idExterneEmploye)}`, item);
  }
}
