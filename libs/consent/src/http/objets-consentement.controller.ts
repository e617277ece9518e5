import { OBJET_CONSENTEMENT } from '../domain/consent.errors';
import { Controller, Delete, Get, Headers, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { namedByPath } from '#platform/input/named-by-path';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { ObjetsConsentementService } from '../application/objets-consentement.service';
import {
  ObjetConsentementInput,
  ObjetConsentementItem,
  ObjetConsentementReplacement,
} from './objets-consentement.dto';

const idExterne = { description: 'External identifier of the consent object.', example: 'INFOLETTRE' };
const PATH = '/b2b/v2/objet-consentement';

@ApiTags('Consent objects')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/objet-consentement')
export class ObjetsConsentementController {
  constructor(private readonly objets: ObjetsConsentementService) {}

  @Get()
  @Answers({ summary: 'List the consent objects', type: [ObjetConsentementItem], paged: true, etag: true })
  list(@Tenant() tenantId: string, @Query() query: PagingQuery): Listing {
    return listOf(query, this.objets.list(tenantId));
  }

  @Get(':idExterne')
  @Answers({
    summary: 'Read a consent object',
    path: { idExterne },
    type: ObjetConsentementItem,
    etag: true,
    errors: [OBJET_CONSENTEMENT.NotFound],
  })
  get(@Tenant() tenantId: string, @Param('idExterne') id: string): Promise<Json> {
    return this.objets.get(tenantId, id);
  }

  @Post()
  @Answers({
    summary: 'Create a consent object',
    bodyExample: { idExterne: 'TEXTOS', nom: 'Recevoir des textos' },
    status: 201,
    type: ObjetConsentementItem,
    location: true,
    etag: true,
    errors: [OBJET_CONSENTEMENT.IdExterneDejaUtilise],
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: ObjetConsentementInput,
  ): Promise<Located> {
    const item = await this.objets.create(tenantId, actor, body);
    return new Located(`${PATH}/${encodeURIComponent(body.idExterne)}`, item);
  }

  @Put()
  @Answers({
    summary: 'Replace a consent object',
    description: '`idExterne` in the body selects the consent object.',
    type: ObjetConsentementItem,
    etag: true,
    ifMatch: true,
    errors: [OBJET_CONSENTEMENT.NotFound],
  })
  replace(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: ObjetConsentementInput,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.objets.replace(tenantId, actor, body, ifMatch);
  }

  @Put(':idExterne')
  @Answers({
    summary: 'Replace a consent object by its identifier in the path',
    path: { idExterne },
    bodyExample: { nom: 'Recevoir l’infolettre du mois' },
    type: ObjetConsentementItem,
    etag: true,
    ifMatch: true,
    errors: [OBJET_CONSENTEMENT.NotFound],
  })
  replaceNamed(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Param('idExterne') id: string,
    @Body() body: ObjetConsentementReplacement,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.replace(tenantId, actor, namedByPath(body, 'idExterne', id), ifMatch);
  }

  @Delete(':idExterne')
  @Answers({
    summary: 'Delete a consent object',
    path: { idExterne: { ...idExterne, example: 'SONDAGES' } },
    status: 204,
    ifMatch: true,
    errors: [OBJET_CONSENTEMENT.NotFound, OBJET_CONSENTEMENT.Utilise],
  })
  async delete(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Param('idExterne') id: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.objets.delete(tenantId, actor, id, ifMatch);
  }
}
