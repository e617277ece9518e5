import { ADHESION } from '../domain/adhesion.errors';
import { EMPLOYE } from '#membership';
import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { GuidPart } from '#platform/input/guid-part.pipe';
import { type Listing, listOf } from '#platform/http/listing';
import { Query } from '#platform/input/request-parts.decorator';
import { AdhesionsService } from '../application/adhesions.service';
import { AdhesionsDeletedItem, AdhesionsOfMember, AdhesionV2Item, AdhesionV2List } from './adhesions.dto';
import { EXAMPLE_IDS } from './examples';

const DELETION_ERRORS = [
  ADHESION.LinkedToActiveCampaign,
  ADHESION.HasPayments,
  ADHESION.HasPaymentAuthorizations,
] as const;

@ApiTags('Signed cards, V2')
@Requires({ role: 'partenaire', module: 'carteMembre' })
@Controller('b2b/v2/adhesion')
export class AdhesionsV2Controller {
  constructor(private readonly adhesions: AdhesionsService) {}

  @Get()
  @Answers({
    summary: 'List the signed cards',
    description: 'The members as signed, newest signature first. Filters combine with AND.',
    type: [AdhesionV2Item],
    paged: true,
    etag: true,
    csv: { file: 'adhesions' },
  })
  list(@Tenant() tenantId: string, @Query() query: AdhesionV2List): Listing {
    return listOf(query, this.adhesions.listV2(tenantId, query));
  }

  // One name for both methods: OpenAPI takes `{idExterne}` and `{idUnique}` at one place for the same path twice.
  @Get(':id')
  @Answers({
    summary: 'List the signed cards of an employee',
    description: 'Newest signature first. Filters combine with AND.',
    path: { id: { description: 'External identifier of the employee.', example: 'E-1001' } },
    type: [AdhesionV2Item],
    paged: true,
    etag: true,
    csv: { file: 'adhesions' },
    errors: [EMPLOYE.NotFound],
  })
  listOfEmploye(
    @Tenant() tenantId: string,
    @Param('id') idExterne: string,
    @Query() query: AdhesionV2List,
  ): Listing {
    return listOf(query, this.adhesions.listV2OfEmploye(tenantId, idExterne, query));
  }

  @Delete(':id')
  @Answers({
    summary: 'Delete a signed card',
    description:
      'Deletes the card and its signature; this cannot be undone. The membership and the consents stay. `If-Match` is not supported because a card never changes. If several reasons block the deletion, the response has the first in the order of the codes.',
    path: {
      id: {
        description: 'Identifier of the card (GUID): its `idUniqueAdhesion`.',
        format: 'uuid',
        example: EXAMPLE_IDS.adhesionLibre,
      },
    },
    status: 204,
    errors: [ADHESION.NotFound, ...DELETION_ERRORS],
  })
  async delete(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Param('id', new GuidPart(ADHESION.NotFound)) id: string,
  ): Promise<void> {
    await this.adhesions.delete(tenantId, actor, id);
  }

  @Delete('membre/:idExterneMembre')
  @Answers({
    summary: 'Delete all signed cards of a member, or those of one union',
    description:
      'Deletes all of the cards or none: a reason that blocks one of them blocks all. At most 200 cards: more are 400.',
    path: { idExterneMembre: { description: 'External identifier of the employee.', example: 'E-1004' } },
    type: AdhesionsDeletedItem,
    errors: [EMPLOYE.NotFound, ...DELETION_ERRORS],
  })
  async deleteOfMember(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Param('idExterneMembre') idExterne: string,
    @Query() query: AdhesionsOfMember,
  ): Promise<AdhesionsDeletedItem> {
    const syndicat = query.idExterneSyndicat;
    return { nombreSupprime: await this.adhesions.deleteOfMember(tenantId, actor, idExterne, syndicat) };
  }
}
