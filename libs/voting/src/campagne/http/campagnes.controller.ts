import { CHIFFREMENT } from '../../domain/chiffrement.errors';
import { CAMPAGNE, OPTION, QUESTION, VOTE } from '../../domain/voting.errors';
import { Controller, Delete, Get, Headers, Post, Put, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { announceLanguage, CallerLanguage } from '#platform/http/language';
import { type Listing, listOf } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { CampagnesService } from '../application/campagnes.service';
import { LifecycleService } from '../application/lifecycle.service';
import {
  CampagneDetailItem,
  CampagneInput,
  CampagneItem,
  CampagneList,
  GrainePartenaireInput,
  ValidationItem,
} from './campagnes.dto';
import { EXAMPLE_IDS } from '../../http/examples';
import { CampagneId, campagnePart } from '../../http/path-parts';
import type { Language } from '#platform/errors/text';

@ApiTags('Campaigns')
@Requires({ role: 'partenaire', module: 'vote' })
@Controller('b2b/v1/campagnes')
export class CampagnesController {
  constructor(
    private readonly campagnes: CampagnesService,
    private readonly lifecycle: LifecycleService,
  ) {}

  @Get()
  @Answers({
    summary: 'List the campaigns',
    description: 'Filters combine with AND. States are those of this moment.',
    type: [CampagneItem],
    paged: true,
  })
  list(@Tenant() tenantId: string, @Query() query: CampagneList): Listing {
    return listOf(query, this.campagnes.list(tenantId, query));
  }

  @Get(':id')
  @Answers({
    summary: 'Read a campaign',
    path: { id: campagnePart() },
    type: CampagneDetailItem,
    etag: true,
    errors: [CAMPAGNE.NotFound],
  })
  get(@Tenant() tenantId: string, @CampagneId() id: string): Promise<Json> {
    return this.campagnes.get(tenantId, id);
  }

  @Post()
  @Answers({
    summary: 'Create a campaign',
    description:
      'In state Brouillon, without questions and voters. Returns its identifier, a GUID, as a JSON string. If both title and slug are already used, the error is that of the title.',
    status: 201,
    type: String,
    location: true,
    errors: [CAMPAGNE.OuvertureVoteApresFermeture, CAMPAGNE.NomDejaUtilise, CAMPAGNE.SlugDejaUtilise],
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: CampagneInput,
  ): Promise<Located> {
    const id = await this.campagnes.create(tenantId, actor, body);
    return new Located(`/b2b/v1/campagnes/${id}`, JSON.stringify(id));
  }

  @Put(':id')
  @Answers({
    summary: 'Replace a campaign',
    description:
      'In Brouillon and Planifie everything may change; a scheduled campaign whose opening is moved into the past opens. In VoteOuvert only a later closing and the text of the welcome page, all else must be sent as it is. Afterwards nothing.',
    path: { id: campagnePart() },
    bodyExample: {
      titre: 'Renouvellement de la convention collective',
      ouvertureDuVoteUtc: '2027-03-01T13:00:00Z',
      fermetureDuVoteUtc: '2027-03-08T22:00:00Z',
      textePageAccueil: '<p>Prenez connaissance de <em>l’entente de principe</em>.</p>',
      libelleAbstention: 'Je m’abstiens',
      ordreReponsesAleatoire: false,
    },
    type: CampagneDetailItem,
    etag: true,
    ifMatch: true,
    errors: [
      CAMPAGNE.NotFound,
      CAMPAGNE.OuvertureVoteApresFermeture,
      CAMPAGNE.ModificationNonPermise,
      CAMPAGNE.NomDejaUtilise,
      CAMPAGNE.SlugDejaUtilise,
    ],
  })
  replace(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() id: string,
    @Body() body: CampagneInput,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.campagnes.replace(tenantId, actor, id, body, ifMatch);
  }

  @Delete(':id')
  @Answers({
    summary: 'Delete a campaign',
    description:
      'Deletes permanently, with its questions and its roll, in any state as long as there are no votes.',
    path: { id: campagnePart(EXAMPLE_IDS.aSupprimer) },
    status: 204,
    ifMatch: true,
    errors: [CAMPAGNE.NotFound, CAMPAGNE.SupprimerAvecVotes],
  })
  async delete(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() id: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.campagnes.delete(tenantId, actor, id, ifMatch);
  }

  @Get(':id/validation')
  @Answers({
    summary: 'List reasons against a publication',
    description: 'Returns all reasons; a publication returns only the first.',
    path: { id: campagnePart() },
    type: ValidationItem,
    messages: true,
    errors: [CAMPAGNE.NotFound],
  })
  validation(
    @Tenant() tenantId: string,
    @CampagneId() id: string,
    @CallerLanguage() language: Language,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ValidationItem> {
    announceLanguage(response, language);
    return this.lifecycle.validation(tenantId, id, language);
  }

  @Post(':id/publier')
  @Answers({
    summary: 'Publish a campaign',
    description:
      'From Brouillon to Planifie, or to VoteOuvert if its opening has come; not once its closing has. Questions, options and their order are locked, and voters see it. Checked in the order of the codes.',
    path: { id: campagnePart(EXAMPLE_IDS.aPublier) },
    type: CampagneDetailItem,
    errors: [
      CAMPAGNE.NotFound,
      CAMPAGNE.TransitionNonPermise,
      CAMPAGNE.AucuneQuestion,
      QUESTION.OptionsInsuffisantes,
      OPTION.LibelleEnDouble,
      CAMPAGNE.TropVolumineuse,
      VOTE.AucunVotant,
      CAMPAGNE.PoidsIdentifiants,
      CHIFFREMENT.QuestionPreferentielle,
      CAMPAGNE.CeremonieIncomplete,
    ],
  })
  publish(@Tenant() tenantId: string, @CurrentActor() actor: Actor, @CampagneId() id: string): Promise<Json> {
    return this.lifecycle.transition(tenantId, actor, id, 'publier');
  }

  @Post(':id/depublier')
  @Answers({
    summary: 'Unpublish a campaign',
    description: 'From Planifie or VoteOuvert back to Brouillon, as long as there are no votes.',
    path: { id: campagnePart(EXAMPLE_IDS.aDepublier) },
    type: CampagneDetailItem,
    errors: [CAMPAGNE.NotFound, CAMPAGNE.TransitionNonPermise, CAMPAGNE.DepublierAvecVotes],
  })
  unpublish(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() id: string,
  ): Promise<Json> {
    return this.lifecycle.transition(tenantId, actor, id, 'depublier');
  }

  @Post(':id/ouvrir')
  @Answers({
    summary: 'Open the vote now',
    description: 'From Planifie to VoteOuvert: the opening becomes now. Without this it opens at its date.',
    path: { id: campagnePart(EXAMPLE_IDS.aOuvrir) },
    type: CampagneDetailItem,
    errors: [CAMPAGNE.NotFound, CAMPAGNE.TransitionNonPermise],
  })
  open(@Tenant() tenantId: string, @CurrentActor() actor: Actor, @CampagneId() id: string): Promise<Json> {
    return this.lifecycle.transition(tenantId, actor, id, 'ouvrir');
  }

  @Post(':id/fermer')
  @Answers({
    summary: 'Close the vote now',
    description:
      'From VoteOuvert to Termine, for good: the closing becomes now. Without this it closes at its date.',
    path: { id: campagnePart(EXAMPLE_IDS.aFermer) },
    type: CampagneDetailItem,
    errors: [CAMPAGNE.NotFound, CAMPAGNE.TransitionNonPermise],
  })
  close(@Tenant() tenantId: string, @CurrentActor() actor: Actor, @CampagneId() id: string): Promise<Json> {
    return this.lifecycle.transition(tenantId, actor, id, 'fermer');
  }

  @Put(':id/graine-partenaire')
  @Answers({
    summary: 'Bring a seed of draws',
    description:
      'In Planifie only. A draw from the service’s seed and this one breaks ties, because neither side may choose the result alone. The campaign shows its SHA-256 at once and the seed after the vote. A second seed replaces the first; another publication deletes it.',
    path: { id: campagnePart(EXAMPLE_IDS.aTirer) },
    type: CampagneDetailItem,
    errors: [CAMPAGNE.NotFound, CAMPAGNE.ModificationNonPermise],
  })
  keepGraine(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() id: string,
    @Body() { graine }: GrainePartenaireInput,
  ): Promise<Json> {
    return this.campagnes.keepGraine(tenantId, actor, id, graine);
  }

  @Post(':id/archiver')
  @Answers({
    summary: 'Archive a campaign',
    description: 'From Termine or Brouillon to Archive, for good.',
    path: { id: campagnePart(EXAMPLE_IDS.aArchiver) },
    type: CampagneDetailItem,
    errors: [CAMPAGNE.NotFound, CAMPAGNE.TransitionNonPermise],
  })
  archive(@Tenant() tenantId: string, @CurrentActor() actor: Actor, @CampagneId() id: string): Promise<Json> {
    return this.lifecycle.transition(tenantId, actor, id, 'archiver');
  }
}
