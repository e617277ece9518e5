import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '#access/actor.decorator';
import type { Environment } from '#access/caller';
import { EnvironmentPart } from '#access/environment-part.pipe';
import { Requires } from '#access/requires.decorator';
import type { Actor } from '#platform/audit/actor';
import { Answers, Located } from '#platform/http/answers.decorator';
import { Unrecorded } from '#platform/http/idempotency.interceptor';
import { Body } from '#platform/input/request-parts.decorator';
import { DeplacementsService } from '../application/deplacements.service';
import { CELLULE, CLIENT, DEPLACEMENT } from '../domain/clients.errors';
import { DeplacementDemande, DeplacementItem, EXAMPLE_DEPLACEMENT } from './deplacements.dto';
import { ClientId, ENVIRONMENT_PARTS } from './path-parts';

// The vote of the demonstration is open in staging.
const PATH = {
  ...ENVIRONMENT_PARTS,
  environnement: { ...ENVIRONMENT_PARTS.environnement, example: 'production' },
};

const EnvironmentName = () => Param('environnement', new EnvironmentPart(DEPLACEMENT.NotFound));

@ApiTags('Clients')
@Requires({ role: 'admin' })
@Controller('admin/v1/clients/:clientId/environnements/:environnement')
export class DeplacementsController {
  constructor(private readonly moves: DeplacementsService) {}

  // A repetition is 409: one move at a time.
  @Post('deplacer')
  @Unrecorded()
  @Answers({
    summary: 'Move a data space to another cell',
    description: [
      'The command `npm run cli -- deplacements` performs it (docs/operations.md). Reads go on all the time. While the rows are copied, writes of this data space are rejected with 503 `EspaceDonnees.EnDeplacement` and `Retry-After`.',
      'Webhooks, e-mails and tasks wait meanwhile. A move that is interrupted begins again.',
    ].join('\n\n'),
    path: PATH,
    status: 202,
    type: DeplacementItem,
    example: EXAMPLE_DEPLACEMENT,
    location: true,
    errors: [
      CLIENT.NotFound,
      CELLULE.Inconnue,
      DEPLACEMENT.NotFound,
      DEPLACEMENT.Inutile,
      DEPLACEMENT.EnCours,
      DEPLACEMENT.VoteOuvert,
      CLIENT.Supprime,
    ],
  })
  async move(
    @CurrentActor() actor: Actor,
    @ClientId() clientId: string,
    @EnvironmentName() environnement: Environment,
    @Body() { cellule }: DeplacementDemande,
  ): Promise<Located<DeplacementItem>> {
    const move = await this.moves.request(actor, clientId, environnement, cellule);
    const path = `/admin/v1/clients/${clientId}/environnements/${environnement}/deplacement`;
    return new Located(path, DeplacementItem.of(move));
  }

  @Get('deplacement')
  @Answers({
    summary: 'Read the latest move of a data space',
    description: 'With its progress in rows.',
    path: PATH,
    type: DeplacementItem,
    example: EXAMPLE_DEPLACEMENT,
    errors: [CLIENT.NotFound, DEPLACEMENT.NotFound],
  })
  async latest(
    @ClientId() clientId: string,
    @EnvironmentName() environnement: Environment,
  ): Promise<DeplacementItem> {
    return DeplacementItem.of(await this.moves.latest(clientId, environnement));
  }
}
