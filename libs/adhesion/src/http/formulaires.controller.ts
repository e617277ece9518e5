import { FORMULAIRE } from '../domain/adhesion.errors';
import { Controller, Delete, Get, Headers, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { FormulairesService } from '../application/formulaires.service';
import { EXAMPLE_IDS } from './examples';
import { FormulaireInput, FormulaireItem } from './formulaires.dto';

const PATH = '/b2b/v2/formulaire';
const id = guidPart('form', EXAMPLE_IDS.formulaire);

const FormulaireId = () => Param('id', new GuidPart(FORMULAIRE.NotFound));

@ApiTags('Forms')
@Requires({ role: 'partenaire', module: 'carteMembre' })
@Controller('b2b/v2/formulaire')
export class FormulairesController {
  constructor(private readonly formulaires: FormulairesService) {}

  @Get()
  @Answers({ summary: 'List the forms', type: [FormulaireItem], paged: true, etag: true })
  list(@Tenant() tenantId: string, @Query() query: PagingQuery): Listing {
    return listOf(query, this.formulaires.list(tenantId));
  }

  @Get(':id')
  @Answers({
    summary: 'Read a form',
    path: { id },
    type: FormulaireItem,
    etag: true,
    errors: [FORMULAIRE.NotFound],
  })
  get(@Tenant() tenantId: string, @FormulaireId() formulaireId: string): Promise<Json> {
    return this.formulaires.get(tenantId, formulaireId);
  }

  @Post()
  @Answers({
    summary: 'Create a form',
    status: 201,
    type: FormulaireItem,
    location: true,
    etag: true,
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: FormulaireInput,
  ): Promise<Located> {
    const { id: made, item } = await this.formulaires.create(tenantId, actor, body);
    return new Located(`${PATH}/${made}`, item);
  }

  @Put(':id')
  @Answers({
    summary: 'Replace a form',
    description: 'Cards that were signed with it stay as they are.',
    path: { id },
    type: FormulaireItem,
    etag: true,
    ifMatch: true,
    errors: [FORMULAIRE.NotFound],
  })
  replace(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @FormulaireId() formulaireId: string,
    @Body() body: FormulaireInput,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.formulaires.replace(tenantId, actor, formulaireId, body, ifMatch);
  }

  @Delete(':id')
  @Answers({
    summary: 'Delete a form',
    path: { id: { ...id, example: EXAMPLE_IDS.formulaireLibre } },
    status: 204,
    ifMatch: true,
    errors: [FORMULAIRE.NotFound, FORMULAIRE.Utilise],
  })
  async delete(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @FormulaireId() formulaireId: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.formulaires.delete(tenantId, actor, formulaireId, ifMatch);
  }
}
