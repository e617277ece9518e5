import { CLIENT, ClientId, ENVIRONMENT_PARTS } from '#clients';
import { EMPLOYE } from '#membership';
import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Environment } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { Requires } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { Streamed } from '#platform/http/streamed';
import { Query } from '#platform/input/request-parts.decorator';
import { EnvironmentPart } from '#access/environment-part.pipe';
import { PersonnesService } from '../application/personnes.service';
import { DonneesPersonnellesItem, PersonneQuery } from './personnes.dto';

const FORMER =
  'Also for an employee whom the partner has deleted: what stayed, such as voters of ended campaigns and requests. If the partner has given the identifier to another person since, `supprime=true` means the former one.';

const EnvironmentName = () => Param('environnement', new EnvironmentPart(EMPLOYE.NotFound));

const path = (idExterne: string) => ({
  ...ENVIRONMENT_PARTS,
  idExterne: { description: 'External identifier of the employee.', example: idExterne },
});

@ApiTags('Personal data')
@Requires({ role: 'admin' })
@Controller('admin/v1/clients/:clientId/environnements/:environnement/employes')
export class PersonnesController {
  constructor(private readonly personnes: PersonnesService) {}

  @Get(':idExterne')
  @Answers({
    summary: 'Export all stored data about an employee',
    description: [
      'Rows of each kind as they are stored, signature images included. The audit trail records the export and each image.',
      FORMER,
    ].join('\n\n'),
    path: path('E-1001'),
    type: DonneesPersonnellesItem,
    errors: [CLIENT.NotFound, EMPLOYE.NotFound],
  })
  async export(
    @CurrentActor() actor: Actor,
    @ClientId() clientId: string,
    @EnvironmentName() environnement: Environment,
    @Param('idExterne') idExterne: string,
    @Query() { supprime }: PersonneQuery,
  ): Promise<Streamed> {
    const parts = await this.personnes.export(actor, clientId, environnement, idExterne, supprime ?? false);
    return new Streamed(() => parts);
  }

  @Delete(':idExterne')
  @Answers({
    summary: 'Erase an employee permanently',
    description: [
      'Removes everything that the export shows, cards with signatures and payments included, though a partner could not delete them. It cannot be undone.',
      'Voters of ended campaigns stay without a name, because rolls, ballots and counts must not change. The audit trail stays, but its ids then match no person. Recorded responses to an `Idempotency-Key` are encrypted and live for 24 hours; backups live as long as you keep them.',
      FORMER,
      'Rejected while the person is a voter of an active campaign, and until syncs that name the employee have ended.',
    ].join('\n\n'),
    path: path('E-1004'),
    status: 204,
    errors: [CLIENT.NotFound, EMPLOYE.NotFound, EMPLOYE.LieCampagneActive, EMPLOYE.SyncEnAttente],
  })
  async erase(
    @CurrentActor() actor: Actor,
    @ClientId() clientId: string,
    @EnvironmentName() environnement: Environment,
    @Param('idExterne') idExterne: string,
    @Query() { supprime }: PersonneQuery,
  ): Promise<void> {
    await this.personnes.erase(actor, clientId, environnement, idExterne, supprime ?? false);
  }
}
