import { CHAMP } from '../domain/membership.errors';
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
import { ChampsUtilisateurService } from '../application/champs-utilisateur.service';
import { ChampInput, ChampItem, ChampReplacement } from './champs-utilisateur.dto';

const nom = { description: 'Name of the custom field.', example: 'Quart de travail' };
const REPLACEMENT = {
  type: 'choix',
  choix: [
    { idExterne: 'JOUR', libelle: 'Jour' },
    { idExterne: 'NUIT', libelle: 'Nuit' },
  ],
};
const PATH = '/b2b/v2/champ-utilisateur';

@ApiTags('Custom fields')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/champ-utilisateur')
export class ChampsUtilisateurController {
  constructor(private readonly champs: ChampsUtilisateurService) {}

  @Get()
  @Answers({ summary: 'List the custom fields', type: [ChampItem], paged: true, etag: true })
  list(@Tenant() tenantId: string, @Query() query: PagingQuery): Listing {
    return listOf(query, this.champs.list(tenantId));
  }

  @Get(':nom')
  @Answers({
    summary: 'Read a custom field',
    path: { nom },
    type: ChampItem,
    etag: true,
    errors: [CHAMP.NotFound],
  })
  get(@Tenant() tenantId: string, @Param('nom') name: string): Promise<Json> {
    return this.champs.get(tenantId, name);
  }

  @Post()
  @Answers({
    summary: 'Define a custom field',
    bodyExample: {
      nom: 'Langue de correspondance',
      type: 'choix',
      obligatoire: false,
      choix: [
        { idExterne: 'FR', libelle: 'Français' },
        { idExterne: 'EN', libelle: 'Anglais' },
      ],
    },
    status: 201,
    type: ChampItem,
    location: true,
    etag: true,
    errors: [CHAMP.NomDejaUtilise],
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: ChampInput,
  ): Promise<Located> {
    const item = await this.champs.create(tenantId, actor, body);
    return new Located(`${PATH}/${encodeURIComponent(body.nom)}`, item);
  }

  @Put()
  @Answers({
    summary: 'Replace a custom field',
    description:
      '`nom` in the body selects the field. Type, obligation and choices are replaced; an absent one is cleared.',
    bodyExample: { nom: 'Quart de travail', ...REPLACEMENT },
    type: ChampItem,
    etag: true,
    ifMatch: true,
    errors: [CHAMP.NotFound, CHAMP.TypeUtilise, CHAMP.ChoixUtilise],
  })
  replace(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: ChampInput,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.champs.replace(tenantId, actor, body, ifMatch);
  }

  @Put(':nom')
  @Answers({
    summary: 'Replace a custom field by its name in the path',
    description: 'Type, obligation and choices are replaced; an absent one is cleared.',
    path: { nom },
    bodyExample: REPLACEMENT,
    type: ChampItem,
    etag: true,
    ifMatch: true,
    errors: [CHAMP.NotFound, CHAMP.TypeUtilise, CHAMP.ChoixUtilise],
  })
  replaceNamed(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Param('nom') name: string,
    @Body() body: ChampReplacement,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.replace(tenantId, actor, namedByPath(body, 'nom', name), ifMatch);
  }

  @Delete(':nom')
  @Answers({
    summary: 'Delete a custom field',
    path: { nom: { ...nom, example: 'Casier' } },
    status: 204,
    ifMatch: true,
    errors: [CHAMP.NotFound, CHAMP.Utilise],
  })
  async delete(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Param('nom') name: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.champs.delete(tenantId, actor, name, ifMatch);
  }
}
