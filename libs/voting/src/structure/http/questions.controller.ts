import { CAMPAGNE, QUESTION } from '../../domain/voting.errors';
import { Controller, Delete, Get, Headers, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { QuestionsService } from '../application/questions.service';
import { EXAMPLE_IDS } from '../../http/examples';
import { CampagneId, campagnePart, QuestionId, questionPart } from '../../http/path-parts';
import { QuestionInput, QuestionItem, QuestionOrdreInput } from './questions.dto';

const NOMINATION = {
  Titre: 'Qui voulez-vous à la présidence ?',
  Description: 'Mandat de deux ans.',
  Type: 'Election',
  EstPreferentiel: true,
  NombreElus: 1,
};

@ApiTags('Questions')
@Requires({ role: 'partenaire', module: 'vote' })
@Controller('b2b/v1/campagnes/:id/questions')
export class QuestionsController {
  constructor(private readonly questions: QuestionsService) {}

  @Get()
  @Answers({
    summary: 'List the questions of a campaign',
    description: 'In their order, with their options.',
    path: { id: campagnePart() },
    type: [QuestionItem],
    paged: true,
    errors: [CAMPAGNE.NotFound],
  })
  list(@Tenant() tenantId: string, @CampagneId() campagneId: string, @Query() query: PagingQuery): Listing {
    return listOf(query, this.questions.list(tenantId, campagneId));
  }

  @Get(':questionId')
  @Answers({
    summary: 'Read a question',
    path: { id: campagnePart(), questionId: questionPart() },
    type: QuestionItem,
    etag: true,
    errors: [CAMPAGNE.NotFound, QUESTION.NotFound],
  })
  get(@Tenant() tenantId: string, @CampagneId() campagneId: string, @QuestionId() id: string): Promise<Json> {
    return this.questions.get(tenantId, campagneId, id);
  }

  @Post()
  @Answers({
    summary: 'Add a question to a campaign',
    description: 'With its options, or without them.',
    path: { id: campagnePart(EXAMPLE_IDS.aCompleter) },
    bodyExample: { ...NOMINATION, Options: [{ Libelle: 'Ariane Lapointe' }, { Libelle: 'Omar Haddad' }] },
    status: 201,
    type: QuestionItem,
    location: true,
    etag: true,
    errors: [
      CAMPAGNE.NotFound,
      CAMPAGNE.StructureVerrouillee,
      CAMPAGNE.StructureTropGrande,
      QUESTION.PreferentielNonSupporte,
    ],
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @Body() body: QuestionInput,
  ): Promise<Located> {
    const { id, item } = await this.questions.create(tenantId, actor, campagneId, body);
    return new Located(`/b2b/v1/campagnes/${campagneId}/questions/${id}`, item);
  }

  // Before the questions by their id: the first route that fits is taken.
  @Put('ordre')
  @Answers({
    summary: 'Put the questions of a campaign into an order',
    path: { id: campagnePart() },
    type: [QuestionItem],
    errors: [CAMPAGNE.NotFound, CAMPAGNE.StructureVerrouillee],
  })
  async order(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @Body() { QuestionIds }: QuestionOrdreInput,
  ): Promise<Listing> {
    const first = await this.questions.order(tenantId, actor, campagneId, QuestionIds);
    const list = this.questions.list(tenantId, campagneId);
    return listOf({}, async (after, limit) => (after ? list(after, limit) : first));
  }

  @Put(':questionId')
  @Answers({
    summary: 'Replace a question',
    path: { id: campagnePart(), questionId: questionPart() },
    bodyExample: {
      ...NOMINATION,
      Options: [
        { Id: EXAMPLE_IDS.option, Libelle: 'Ariane Lapointe' },
        { Id: EXAMPLE_IDS.optionAutre, Libelle: 'Omar Haddad', Description: 'Secrétaire depuis 2024' },
      ],
    },
    type: QuestionItem,
    etag: true,
    ifMatch: true,
    errors: [
      CAMPAGNE.NotFound,
      QUESTION.NotFound,
      CAMPAGNE.StructureVerrouillee,
      CAMPAGNE.TropVolumineuse,
      QUESTION.PreferentielNonSupporte,
    ],
  })
  replace(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @QuestionId() id: string,
    @Body() body: QuestionInput,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.questions.replace(tenantId, actor, campagneId, id, body, ifMatch);
  }

  @Delete(':questionId')
  @Answers({
    summary: 'Delete a question',
    description: 'With its options; the questions behind it move up.',
    path: {
      id: campagnePart(EXAMPLE_IDS.aCompleter),
      questionId: questionPart(EXAMPLE_IDS.questionASupprimer),
    },
    status: 204,
    ifMatch: true,
    errors: [CAMPAGNE.NotFound, QUESTION.NotFound, CAMPAGNE.StructureVerrouillee],
  })
  async delete(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @QuestionId() id: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.questions.delete(tenantId, actor, campagneId, id, ifMatch);
  }
}
