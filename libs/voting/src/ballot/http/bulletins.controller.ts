import { CAMPAGNE, DOSSIER, RECU, VOTANT, VOTE } from '../../domain/voting.errors';
import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import { Unrecorded } from '#platform/http/idempotency.interceptor';
import { Body } from '#platform/input/request-parts.decorator';
import { BulletinsService } from '../application/bulletins.service';
import { EngagementsService } from '../application/engagements.service';
import {
  EXAMPLE_ATTESTATION,
  BulletinDeposeItem,
  BulletinInput,
  PreuveRecuItem,
  RecuItem,
} from './bulletins.dto';
import { CampagneId, campagnePart } from '../../http/path-parts';
import { EXAMPLE_IDS } from '../../http/examples';

@ApiTags('Votes')
@Requires({ role: 'plateforme', module: 'vote' })
@Controller('plateforme/v1/campagnes/:id')
export class BulletinsController {
  constructor(
    private readonly bulletins: BulletinsService,
    private readonly engagements: EngagementsService,
  ) {}

  @Post('bulletins')
  @Unrecorded()
  @Answers({
    summary: 'Cast a ballot',
    description: [
      'Each voter has exactly one ballot: a second one is rejected with 409 `Vote.DejaVote`. The ballot counts with the weight, union and employer that the voter has at this moment.',
      'The voter’s device may make the receipt and send only its SHA-256, `EmpreinteRecu`. The response then has it instead of the receipt, and `Location` is the address of its proof.',
      'In an encrypted vote the body has `BulletinChiffre` instead of `Reponses`. Its proofs are checked before anything is written, and its receipt is the SHA-256 of the ballot.',
      'Ballots are not linked to voters. Therefore an `Idempotency-Key` has no effect here: its record would link them.',
    ].join('\n\n'),
    path: { id: campagnePart(EXAMPLE_IDS.ouverte) },
    bodyExample: {
      VotantId: EXAMPLE_IDS.electeur,
      Reponses: [{ QuestionId: EXAMPLE_IDS.questionOuverte, Options: [EXAMPLE_IDS.optionOuverte] }],
    },
    status: 201,
    type: BulletinDeposeItem,
    example: { Recu: EXAMPLE_IDS.recu, Attestation: EXAMPLE_ATTESTATION },
    location: true,
    errors: [
      CAMPAGNE.NotFound,
      VOTE.CampagneNonOuverte,
      VOTANT.NotFound,
      VOTE.DejaVote,
      VOTE.SansDroitDeVote,
      VOTE.BulletinInvalide,
      VOTE.PreuveInvalide,
      VOTE.BulletinRejoue,
      VOTE.RecuDejaUtilise,
    ],
  })
  async cast(
    @Tenant() tenantId: string,
    @CampagneId() campagneId: string,
    @Body() body: BulletinInput,
  ): Promise<Located<BulletinDeposeItem>> {
    const { recu, empreinteRecu, attestation } = await this.bulletins.cast(tenantId, campagneId, body);
    const recus = `/plateforme/v1/campagnes/${campagneId}/recus`;
    return new Located(`${recus}/${recu ?? `${empreinteRecu}/preuve`}`, {
      Recu: recu,
      EmpreinteRecu: recu === undefined ? empreinteRecu : undefined,
      Attestation: attestation,
    });
  }

  @Get('recus/:recu')
  @Answers({
    summary: 'Check that a ballot is counted',
    description: 'The receipt proves that a ballot is in the count. It does not reveal its choices.',
    path: {
      id: campagnePart(EXAMPLE_IDS.ouverte),
      recu: { description: 'Receipt of the ballot.', example: EXAMPLE_IDS.recu },
    },
    type: RecuItem,
    errors: [CAMPAGNE.NotFound, RECU.NotFound],
  })
  async find(
    @Tenant() tenantId: string,
    @CampagneId() campagneId: string,
    @Param('recu') recu: string,
  ): Promise<RecuItem> {
    await this.bulletins.assertCounted(tenantId, campagneId, recu);
    return { Recu: recu };
  }

  @Get('recus/:empreinte/preuve')
  @Answers({
    summary: 'Prove that a receipt is in the log',
    description:
      'An inclusion proof in the log of the newest checkpoint. A receipt is in the log at most a minute after the ballot, and at the close.',
    path: {
      id: campagnePart(EXAMPLE_IDS.ouverte),
      empreinte: {
        description: 'SHA-256 of the receipt, base64url.',
        example: EXAMPLE_IDS.empreinteRecu,
      },
    },
    type: PreuveRecuItem,
    errors: [CAMPAGNE.NotFound, RECU.NotFound, DOSSIER.NonPret],
  })
  prove(
    @Tenant() tenantId: string,
    @CampagneId() campagneId: string,
    @Param('empreinte') empreinte: string,
  ): Promise<PreuveRecuItem> {
    return this.engagements.preuve(tenantId, campagneId, empreinte);
  }
}
