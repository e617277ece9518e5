import { EMPLOYE } from '#membership';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { type Listing, listOf } from '#platform/http/listing';
import { Query } from '#platform/input/request-parts.decorator';
import { AdhesionsService } from '../application/adhesions.service';
import { AdhesionV1Item, AdhesionV1List, AdhesionV1OfEmployeList } from './adhesions.dto';

const SUCCESSOR = '/b2b/v2/adhesion';

@ApiTags('Signed cards')
@Requires({ role: 'partenaire', module: 'carteMembre' })
@Controller('b2b/v1/adhesion')
export class AdhesionsV1Controller {
  constructor(private readonly adhesions: AdhesionsService) {}

  @Get()
  @Answers({
    summary: 'List the signed cards with the employees as they are now',
    description: 'Newest signature first. V2 shows the members as signed.',
    type: [AdhesionV1Item],
    paged: true,
    etag: true,
    csv: { file: 'adhesions' },
    successor: SUCCESSOR,
  })
  list(@Tenant() tenantId: string, @Query() query: AdhesionV1List): Listing {
    return listOf(query, this.adhesions.listV1(tenantId, query));
  }

  @Get(':idExterne')
  @Answers({
    summary: 'List the signed cards of an employee',
    description: 'Newest signature first.',
    path: { idExterne: { description: 'External identifier of the employee.', example: 'E-1001' } },
    type: [AdhesionV1Item],
    paged: true,
    etag: true,
    csv: { file: 'adhesions' },
    successor: SUCCESSOR,
    errors: [EMPLOYE.NotFound],
  })
  listOfEmploye(
    @Tenant() tenantId: string,
    @Param('idExterne') idExterne: string,
    @Query() query: AdhesionV1OfEmployeList,
  ): Listing {
    return listOf(query, this.adhesions.listV1OfEmploye(tenantId, idExterne, query));
  }
}
