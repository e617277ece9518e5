import { CONCILIATION } from '../domain/adhesion.errors';
import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { GuidPart } from '#platform/input/guid-part.pipe';
import { type Listing, listOf } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { ConciliationService } from '../application/conciliation.service';
import {
  ConciliationList,
  ConfirmationInput,
  ConfirmationItem,
  DemandeItem,
  RejetInput,
} from './conciliation.dto';
import { EXAMPLE_IDS } from './examples';

const id = {
  description: 'Identifier of the request (GUID): its `demandeId`.',
  format: 'uuid',
  example: EXAMPLE_IDS.demande,
} as const;

const DemandeId = () => Param('id', new GuidPart(CONCILIATION.NotFound));

@ApiTags('Conciliation')
@Requires({ role: 'partenaire', module: 'carteMembre' })
@Controller('b2b/v2/conciliation')
export class ConciliationController {
  constructor(private readonly conciliation: ConciliationService) {}

  @Get()
  @Answers({
    summary: 'List the membership requests',
    description: 'Returns the waiting requests, oldest first, or those of another state.',
    type: [DemandeItem],
    paged: true,
    etag: true,
  })
  list(@Tenant() tenantId: string, @Query() query: ConciliationList): Listing {
    return listOf(query, this.conciliation.list(tenantId, query.statut ?? 'ATransferer'));
  }

  @Get(':id')
  @Answers({
    summary: 'Read a membership request',
    path: { id },
    type: DemandeItem,
    etag: true,
    errors: [CONCILIATION.NotFound],
  })
  get(@Tenant() tenantId: string, @DemandeId() demandeId: string): Promise<Json> {
    return this.conciliation.get(tenantId, demandeId);
  }

  @Post(':id/confirmer')
  @ApiBody({ type: ConfirmationInput, required: false })
  @Answers({
    summary: 'Confirm a membership request',
    description: [
      'Creates the employee, or matches the one of `idExterne`, and then creates the card with its membership, consents and event `adhesion.signee`.',
      'Contact data in the body replaces the signed data, on the card and on a new employee.',
      'A repeated request gets the first response, as long as the employee exists.',
    ].join('\n\n'),
    path: { id },
    bodyExample: { ville: 'Saguenay' },
    type: ConfirmationItem,
    errors: [CONCILIATION.NotFound, CONCILIATION.DejaTraitee],
  })
  async confirm(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @DemandeId() demandeId: string,
    @Body() { idExterne, ...overrides }: ConfirmationInput,
  ): Promise<ConfirmationItem> {
    return this.conciliation.confirm(tenantId, actor, demandeId, { idExterne, overrides });
  }

  @Post(':id/rejeter')
  @Answers({
    summary: 'Reject a membership request',
    description:
      'Deletes the handwritten signature of the request. A repeated rejection gets the first response.',
    path: { id: { ...id, example: EXAMPLE_IDS.demandeDouteuse } },
    type: DemandeItem,
    errors: [CONCILIATION.NotFound, CONCILIATION.DejaTraitee],
  })
  async reject(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @DemandeId() demandeId: string,
    @Body() body: RejetInput,
  ): Promise<Json> {
    return this.conciliation.reject(tenantId, actor, demandeId, body.raison);
  }
}
