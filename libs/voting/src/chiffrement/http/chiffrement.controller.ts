import { CHIFFREMENT } from '../../domain/chiffrement.errors';
import { CAMPAGNE } from '../../domain/voting.errors';
import { Controller, Get, Header, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { BulkBody } from '#platform/http/body.interceptor';
import { Unrecorded } from '#platform/http/idempotency.interceptor';
import { Streamed } from '#platform/http/streamed';
import { Body } from '#platform/input/request-parts.decorator';
import { ChiffrementService } from '../application/chiffrement.service';
import {
  CeremonieItem,
  ChiffrementInput,
  DepouillementItem,
  FichierInput,
  ScrutinItem,
} from './chiffrement.dto';
import { ENCRYPTED_EXAMPLES } from './encrypted-examples';
import { EXAMPLE_IDS } from '../../http/examples';
import { CampagneId, campagnePart } from '../../http/path-parts';

const OF_VOTE = [CAMPAGNE.NotFound, CHIFFREMENT.NotFound];
const OF_SUMS = [...OF_VOTE, CHIFFREMENT.NonPret];

/** Guardians of an encrypted vote, their ceremony and their decryptions. */
@ApiTags('Campaigns')
@Requires({ role: 'partenaire', module: 'vote' })
@Controller('b2b/v1/campagnes/:id/chiffrement')
export class ChiffrementController {
  constructor(private readonly chiffrement: ChiffrementService) {}

  @Put()
  @Answers({
    summary: 'Make a draft an encrypted vote',
    description:
      'Voters’ devices then encrypt the choices, and the guardians hold the key together (docs/encrypted-vote.md). Sent again, it replaces the guardians, and their ceremony begins anew. Questions must not be ranked.',
    path: { id: campagnePart(EXAMPLE_IDS.aChiffrer) },
    bodyExample: {
      gardiens: [{ nom: 'Ariane Lapointe' }, { nom: 'Bruno Gagnon' }, { nom: 'Chloé Roy' }],
      seuil: 2,
    },
    type: CeremonieItem,
    errors: [CAMPAGNE.NotFound, CAMPAGNE.StructureVerrouillee, CHIFFREMENT.QuestionPreferentielle],
  })
  define(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() id: string,
    @Body() body: ChiffrementInput,
  ): Promise<CeremonieItem> {
    return this.chiffrement.define(tenantId, actor, id, body);
  }

  @Get('ceremonie')
  @Answers({
    summary: 'Read the ceremony of the guardians',
    description: 'With all files so far: `mandat-gardien` reads it as it is, also without a network.',
    path: { id: campagnePart(EXAMPLE_IDS.chiffree) },
    type: CeremonieItem,
    errors: OF_VOTE,
  })
  ceremony(@Tenant() tenantId: string, @CampagneId() id: string): Promise<CeremonieItem> {
    return this.chiffrement.ceremony(tenantId, id);
  }

  // A file that is sent again is taken as the same.
  @Post('ceremonie')
  @Unrecorded()
  @Answers({
    summary: 'Bring a guardian’s file',
    description:
      'A file of the open round as `mandat-gardien` has made it. The last file of round 3 gives the vote its key. A file that fails a check is not kept, and the answer names check and guardian.',
    path: { id: campagnePart(EXAMPLE_IDS.chiffree) },
    bodyExample: ENCRYPTED_EXAMPLES.premierFichier,
    type: CeremonieItem,
    errors: [
      ...OF_VOTE,
      CHIFFREMENT.FichierInvalide,
      CHIFFREMENT.FichierInattendu,
      CAMPAGNE.StructureVerrouillee,
    ],
  })
  addFile(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() id: string,
    @Body() body: FichierInput,
  ): Promise<CeremonieItem> {
    return this.chiffrement.addFile(tenantId, actor, id, body);
  }

  @Get('depouillement')
  @Answers({
    summary: 'Read the sums that the guardians decrypt',
    description:
      'Some seconds or minutes after the vote has ended; before that 409 `Chiffrement.NonPret` with `Retry-After`. It also tells whose decryption is missing.',
    path: { id: campagnePart(EXAMPLE_IDS.aDechiffrer) },
    type: DepouillementItem,
    errors: OF_SUMS,
  })
  sums(@Tenant() tenantId: string, @CampagneId() id: string): Promise<DepouillementItem> {
    return this.chiffrement.sums(tenantId, id);
  }

  @Get('bulletins')
  @Answers({
    summary: 'Download the encrypted ballots',
    description:
      'One line of JSON for each ballot with its class and weight (`bulletins.ndjson`): guardians check sums and proofs by it before they decrypt. Before the sums are made the answer is 409 `Chiffrement.NonPret`.',
    path: { id: campagnePart(EXAMPLE_IDS.aDechiffrer) },
    content: 'application/x-ndjson',
    errors: OF_SUMS,
  })
  @Header('Content-Type', 'application/x-ndjson')
  ballots(@Tenant() tenantId: string, @CampagneId() id: string): Streamed {
    return new Streamed(() => this.chiffrement.ballots(tenantId, id));
  }

  @Post('depouillement')
  @Unrecorded()
  @BulkBody()
  @Answers({
    summary: 'Bring a guardian’s decryption',
    description:
      'The file of `mandat-gardien dechiffrer`. As soon as there are `seuil` of them, the service combines the result, which the statistics then show. A wrong one is refused, and the answer names the check. Up to 64 MB.',
    path: { id: campagnePart(EXAMPLE_IDS.aDechiffrer) },
    bodyExample: ENCRYPTED_EXAMPLES.dechiffrement,
    type: DepouillementItem,
    errors: [...OF_SUMS, CHIFFREMENT.FichierInvalide, CHIFFREMENT.FichierInattendu],
  })
  addDecryption(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @CampagneId() id: string,
    @Body() body: FichierInput,
  ): Promise<DepouillementItem> {
    return this.chiffrement.addDecryption(tenantId, actor, id, body);
  }
}

/** The route for voters’ devices. */
@ApiTags('Votes')
@Requires({ role: 'plateforme', module: 'vote' })
@Controller('plateforme/v1/campagnes/:id/scrutin')
export class ScrutinController {
  constructor(private readonly chiffrement: ChiffrementService) {}

  @Get()
  @Answers({
    summary: 'Read what a ballot is sealed by',
    description:
      'The key of an encrypted vote, its questions and options: `@mandat/ballot` seals a ballot with it on the voter’s device.',
    path: { id: campagnePart(EXAMPLE_IDS.chiffreeOuverte) },
    type: ScrutinItem,
    errors: OF_VOTE,
  })
  read(@Tenant() tenantId: string, @CampagneId() id: string): Promise<ScrutinItem> {
    return this.chiffrement.scrutin(tenantId, id);
  }
}
