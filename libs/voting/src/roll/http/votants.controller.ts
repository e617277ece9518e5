import { CAMPAGNE, VOTANT } from '../../domain/voting.errors';
import { Controller, Delete, Get, Headers, Post, Put, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { BulkBody } from '#platform/http/body.interceptor';
import type { Json } from '#platform/database/json';
import { announceLanguage, CallerLanguage } from '#platform/http/language';
import { type Listing, listOf } from '#platform/http/listing';
import { streamedJson } from '#platform/http/json-parts';
import type { Streamed } from '#platform/http/streamed';
import { OneOrMany } from '#platform/input/one-or-many.pipe';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { JsonRows } from '#platform/input/json-rows';
import { VotantsService } from '../application/votants.service';
import { EXAMPLE_IDS } from '../../http/examples';
import { CampagneId, campagnePart, VotantId, votantPart } from '../../http/path-parts';
import {
  DroitDeVoteInput,
  DroitDeVoteItem,
  VotantInput,
  VotantItem,
  VotantList,
  VotantsResultItem,
} from './votants.dto';
import type { Language } from '#platform/errors/text';

const VOTANT_SCHEMA = { $ref: getSchemaPath(VotantInput) };

@ApiTags('Voters')
@Requires({ role: 'partenaire', module: 'vote' })
@Controller('b2b/v1/campagnes/:id/votants')
export class VotantsController {
  constructor(private readonly votants: VotantsService) {}

  @Get()
  @Answers({
    summary: 'List the voters of a campaign',
    description: 'Filters combine with AND.',
    path: { id: campagnePart() },
    type: [VotantItem],
    paged: true,
    csv: { file: 'votants' },
    errors: [CAMPAGNE.NotFound],
  })
  list(@Tenant() tenantId: string, @CampagneId() campagneId: string, @Query() query: VotantList): Listing {
    return listOf(query, this.votants.list(tenantId, campagneId, query));
  }

  @Get(':votantId')
  @Answers({
    summary: 'Read a voter',
    path: { id: campagnePart(), votantId: votantPart() },
    type: VotantItem,
    etag: true,
    errors: [CAMPAGNE.NotFound, VOTANT.NotFound],
  })
  get(@Tenant() tenantId: string, @CampagneId() campagneId: string, @VotantId() id: string): Promise<Json> {
    return this.votants.get(tenantId, campagneId, id);
  }

  @Post('upsert')
  @BulkBody()
  @ApiExtraModels(VotantInput)
  @ApiBody({ schema: { anyOf: [VOTANT_SCHEMA, { type: 'array', items: VOTANT_SCHEMA }] } })
  @ApiResponse({
    status: 201,
    description: 'One voter was made.',
    type: VotantItem,
    headers: { Location: { description: 'Path of the voter.', schema: { type: 'string' } } },
  })
  @Answers({
    summary: 'Create or change voters',
    description:
      'One record: answers the voter, 201 if it was made, 200 if `VotantId` named one. A list of records: 200 with the errors of those that were not accepted, and all others are written together; an error of the whole list, as `Votant.PoidsIdentifiants`, writes nothing. Up to 64 MB and 250,000 records. The roll may change until the campaign ends.',
    path: { id: campagnePart() },
    bodyExample: [
      { VotantId: EXAMPLE_IDS.votant, Poids: 1.5 },
      { Identifiant: 'ELECTEUR-00042', Prenom: 'Anouk', Nom: 'Tremblay', SyndicatIdExterne: 'SYN-10' },
    ],
    anyOf: [VotantItem, VotantsResultItem],
    messages: true,
    errors: [
      CAMPAGNE.NotFound,
      CAMPAGNE.ModificationNonPermise,
      CAMPAGNE.TropVolumineuse,
      VOTANT.NotFound,
      VOTANT.IdentifiantDejaUtilise,
      VOTANT.EmployeDejaInscrit,
      VOTANT.AVote,
      VOTANT.PoidsIdentifiants,
    ],
  })
  async upsert(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @Body(new OneOrMany(VotantInput)) body: VotantInput | JsonRows,
    @CallerLanguage() language: Language,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json | Streamed> {
    if (body instanceof JsonRows) {
      const result = await this.votants.upsertAll(tenantId, actor, campagneId, body, language);
      announceLanguage(response, language);
      return streamedJson(result);
    }
    const { item, isNew } = await this.votants.upsert(tenantId, actor, campagneId, body);
    if (isNew) {
      const { VotantId: id } = JSON.parse(item) as VotantItem;
      response.status(201).location(`/b2b/v1/campagnes/${campagneId}/votants/${id}`);
    }
    return item;
  }

  @Put('droit-de-vote')
  @Answers({
    summary: 'Give voters the right to vote, or take it',
    description: 'Up to 25,000 at once; all of them that there are, or none.',
    path: { id: campagnePart() },
    type: DroitDeVoteItem,
    errors: [CAMPAGNE.NotFound, CAMPAGNE.ModificationNonPermise, VOTANT.AVote, VOTANT.PoidsIdentifiants],
  })
  async setDroitDeVote(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @Body() { VotantIds, ADroitDeVote }: DroitDeVoteInput,
  ): Promise<DroitDeVoteItem> {
    return this.votants.setDroitDeVote(tenantId, actor, campagneId, VotantIds, ADroitDeVote);
  }

  @Delete(':votantId')
  @Answers({
    summary: 'Take a voter off the roll',
    path: { id: campagnePart(), votantId: votantPart(EXAMPLE_IDS.votantASupprimer) },
    status: 204,
    ifMatch: true,
    errors: [
      CAMPAGNE.NotFound,
      VOTANT.NotFound,
      CAMPAGNE.ModificationNonPermise,
      VOTANT.AVote,
      VOTANT.PoidsIdentifiants,
    ],
  })
  async delete(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() campagneId: string,
    @VotantId() id: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.votants.delete(tenantId, actor, campagneId, id, ifMatch);
  }
}
