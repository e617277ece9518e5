import { CLIENT, ClientId, ENVIRONMENT_PARTS } from '#clients';
import { CAMPAGNE, URNE } from '../../domain/voting.errors';
import { Controller, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Environment } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { Requires } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { EnvironmentPart } from '#access/environment-part.pipe';
import type { Json } from '#platform/database/json';
import { Unrecorded } from '#platform/http/idempotency.interceptor';
import { Body } from '#platform/input/request-parts.decorator';
import { CampagnesAdministrationService } from '../application/campagnes-administration.service';
import { CampagneId, campagnePart } from '../../http/path-parts';
import { CampagneDetailItem, ConstatInput, SeuilAnonymatInput } from '../../campagne/http/campagnes.dto';
import { EXAMPLE_IDS } from '../../http/examples';

const EnvironmentName = () => Param('environnement', new EnvironmentPart(CAMPAGNE.NotFound));

@ApiTags('Campaigns')
@Requires({ role: 'admin' })
@Controller('admin/v1/clients/:clientId/environnements/:environnement/campagnes/:id')
export class CampagnesAdministrationController {
  constructor(private readonly administration: CampagnesAdministrationService) {}

  @Put('seuil-anonymat')
  @Answers({
    summary: 'Set the threshold of anonymity of a draft',
    description:
      'Replaces the client’s threshold, in Brouillon only: a publication fixes it. Votes of delegates with individual weights need 1. The campaign shows threshold and reason to its partner, and the audit trail records the change.',
    path: { ...ENVIRONMENT_PARTS, id: campagnePart() },
    type: CampagneDetailItem,
    errors: [CLIENT.NotFound, CAMPAGNE.NotFound, CAMPAGNE.ModificationNonPermise],
  })
  async setSeuilAnonymat(
    @CurrentActor() actor: Actor,
    @ClientId() clientId: string,
    @EnvironmentName() environnement: Environment,
    @CampagneId() id: string,
    @Body() { seuilAnonymat, raison }: SeuilAnonymatInput,
  ): Promise<Json> {
    const campagne = { clientId, environnement, id };
    return this.administration.setSeuilAnonymat(actor, campagne, seuilAnonymat, raison);
  }

  // Done once and for good: a repetition is 409.
  @Post('urne/constater')
  @Unrecorded()
  @Answers({
    summary: 'Seal a ballot box without a result',
    description:
      'If ballots, receipts and voters do not agree, the box is not sealed, and the audit trail has `urne.anomalie`: see docs/operations.md first. This request ends it permanently. The vote has no result: `resultatsVisibles` is false, and the campaign and its statistics show `raisonConstat`.',
    path: { ...ENVIRONMENT_PARTS, id: campagnePart(EXAMPLE_IDS.aArchiver) },
    type: CampagneDetailItem,
    errors: [CLIENT.NotFound, CAMPAGNE.NotFound, URNE.NonConstatable],
  })
  async sealWithoutResult(
    @CurrentActor() actor: Actor,
    @ClientId() clientId: string,
    @EnvironmentName() environnement: Environment,
    @CampagneId() id: string,
    @Body() { raison }: ConstatInput,
  ): Promise<Json> {
    return this.administration.sealWithoutResult(actor, { clientId, environnement, id }, raison);
  }
}
