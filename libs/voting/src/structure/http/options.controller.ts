import { CAMPAGNE, OPTION, QUESTION } from '../../domain/voting.errors';
import { Controller, Delete, Get, Headers, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { OptionsService } from '../application/options.service';
import { EXAMPLE_IDS } from '../../http/examples';
import {
  CampagneId,
  campagnePart,
  OptionId,
  optionPart,
  QuestionId,
  questionPart,
} from '../../http/path-parts';
import { OptionInput, OptionItem, OptionOrdreInput } from './questions.dto';

const PARENTS = { id: campagnePart(), questionId: questionPart() };
const PARENTS_TO_COMPLETE = {
  id: campagnePart(EXAMPLE_IDS.aCompleter),
  questionId: questionPart(EXAMPLE_IDS.questionACompleter),
};

@ApiTags('Questions')
@Requires({ role: 'partenaire', module: 'vote' })
@Controller('b2b/v1/campagnes/:id/questions/:questionId/options')
export class OptionsController {
  constructor(private readonly options: OptionsService) {}

  @Get()
  @Answers({
    summary: 'List the options of a question',
    description: 'In their order.',
    path: PARENTS,
    type: [OptionItem],
    paged: true,
    errors: [CAMPAGNE.NotFound, QUESTION.NotFound],
  })
  list(
    @Tenant() tenantId: string,
    @CampagneId() campagneId: string,
    @QuestionId() questionId: string,
    @Query() query: PagingQuery,
  ): Listing {
    return listOf(query, this.options.list(tenantId, { campagneId, questionId }));
  }

  @Get(':optionId')
  @Answers({
    summary: 'Read an option',
    path: { ...PARENTS, optionId: optionPart() },
    type: OptionItem,
    etag: true,
    errors: [CAMPAGNE.NotFound, QUESTION.NotFound, OPTION.NotFound],
  })
  get(
    @Tenant() tenantId: string,
    @CampagneId() campagneId: string,
    @QuestionId() questionId: string,
    @OptionId() id: string,
  ): Promise<Json> {
    return this.options.get(tenantId, { campagneId, questionId }, id);
  }

  @Post()
  @Answers({
    summary: 'Add an option to a question',
    path: PARENTS_TO_COMPLETE,
    status: 201,
    type: OptionItem,
    location: true,
    etag: true,
    errors: [
      CAMPAGNE.NotFound,
      QUESTION.NotFound,
      CAMPAGNE.StructureVerrouillee,
      CAMPAGNE.StructureTropGrande,
      CAMPAGNE.TropVolumineuse,
    ],
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @QuestionId() questionId: string,
    @Body() body: OptionInput,
  ): Promise<Located> {
    const { id, item } = await this.options.create(tenantId, actor, { campagneId, questionId }, body);
    return new Located(`/b2b/v1/campagnes/${campagneId}/questions/${questionId}/options/${id}`, item);
  }

  // Before the options by their id: the first route that fits is taken.
  @Put('ordre')
  @Answers({
    summary: 'Put the options of a question into an order',
    path: PARENTS,
    type: [OptionItem],
    errors: [CAMPAGNE.NotFound, QUESTION.NotFound, CAMPAGNE.StructureVerrouillee],
  })
  async order(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @QuestionId() questionId: string,
    @Body() { OptionIds }: OptionOrdreInput,
  ): Promise<Listing> {
    const of = { campagneId, questionId };
    const first = await this.options.order(tenantId, actor, of, OptionIds);
    const list = this.options.list(tenantId, of);
    return listOf({}, async (after, limit) => (after ? list(after, limit) : first));
  }

  @Put(':optionId')
  @Answers({
    summary: 'Replace an option',
    path: { ...PARENTS, optionId: optionPart() },
    type: OptionItem,
    etag: true,
    ifMatch: true,
    errors: [
      CAMPAGNE.NotFound,
      QUESTION.NotFound,
      OPTION.NotFound,
      CAMPAGNE.StructureVerrouillee,
      CAMPAGNE.TropVolumineuse,
    ],
  })
  replace(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @QuestionId() questionId: string,
    @OptionId() id: string,
    @Body() body: OptionInput,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.options.replace(tenantId, actor, { campagneId, questionId }, id, body, ifMatch);
  }

  @Delete(':optionId')
  @Answers({
    summary: 'Delete an option',
    description: 'The options behind it move up.',
    path: { ...PARENTS_TO_COMPLETE, optionId: optionPart(EXAMPLE_IDS.optionASupprimer) },
    status: 204,
    ifMatch: true,
    errors: [CAMPAGNE.NotFound, QUESTION.NotFound, OPTION.NotFound, CAMPAGNE.StructureVerrouillee],
  })
  async delete(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @QuestionId() questionId: string,
    @OptionId() id: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.options.delete(tenantId, actor, { campagneId, questionId }, id, ifMatch);
  }
}
