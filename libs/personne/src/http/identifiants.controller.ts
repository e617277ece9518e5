import { Controller, Headers, Param, Post, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { EMPLOYE, EmployeV2Item } from '#membership';
import { CurrentActor } from '#access/actor.decorator';
import { Requires, Tenant } from '#access/requires.decorator';
import type { Json } from '#platform/database/json';
import { type Accepted, Answers, prefersAsync } from '#platform/http/answers.decorator';
import { BulkBody, type RawRequest } from '#platform/http/body.interceptor';
import { CallerLanguage } from '#platform/http/language';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { accepted, EXAMPLE_TACHE, RenommesItem, TacheItem } from '#sync';
import { IdentifiantsService, renommagesOf } from '../application/identifiants.service';
import { NouvelIdentifiantInput, RenommageInput, RenommagesQuery } from './identifiants.dto';
import type { Language } from '#platform/errors/text';

const ERRORS = [EMPLOYE.NotFound, EMPLOYE.IdExterneDejaUtilise, EMPLOYE.SyncEnAttente];

@ApiTags('Employees, V2')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/employe')
export class IdentifiantsController {
  constructor(private readonly identifiants: IdentifiantsService) {}

  @Post(':idExterne/nouvel-identifiant')
  @Answers({
    summary: 'Give an employee another external identifier',
    description:
      'The person stays the same: `idUnique`, employments, memberships, cards, consents, custom values, places on rolls and history. For 400 days a read by the former identifier names the new one.',
    path: { idExterne: { description: 'Present external identifier of the employee.', example: 'E-1005' } },
    status: 200,
    type: EmployeV2Item,
    errors: ERRORS,
  })
  renameOne(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Param('idExterne') ancien: string,
    @Body() { idExterne: nouveau }: NouvelIdentifiantInput,
  ): Promise<Json> {
    return this.identifiants.renameOne(tenantId, actor, { ancien, nouveau });
  }

  @Post('nouveaux-identifiants')
  @BulkBody()
  @ApiBody({ type: RenommageInput, isArray: true })
  @Answers({
    summary: 'Give many employees other external identifiers',
    description: [
      'All at once or none. The list is one permutation: with `A` → `B` and `B` → `C` the present `B` becomes `C`, and cycles work, too.',
      'Up to 64 MB and 250,000 pairs; more than 50,000 only with `Prefer: respond-async`. `errors` names the pairs that cannot be done, the first 100.',
    ].join('\n\n'),
    status: 200,
    type: RenommesItem,
    errors: ERRORS,
    accepted: TacheItem,
    acceptedExample: { ...EXAMPLE_TACHE, type: 'nouveauxIdentifiants', etat: 'EnAttente', traites: 0 },
  })
  async rename(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Query() query: RenommagesQuery,
    @Body() body: Array<unknown>,
    @Headers('prefer') prefer: string | undefined,
    @Req() request: RawRequest,
    @CallerLanguage() language: Language,
  ): Promise<RenommesItem | Accepted> {
    const simulation = query.simulation ?? false;
    if (!prefersAsync(prefer))
      return this.identifiants.rename(tenantId, actor, await renommagesOf(body), simulation);
    const corps = request.rawBody!;
    return accepted(await this.identifiants.submit(tenantId, actor, corps, body, simulation, language));
  }
}
