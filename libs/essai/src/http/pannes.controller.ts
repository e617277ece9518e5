import { Controller, Delete, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentActorWithModules } from '#access/actor.decorator';
import type { ActorWithModules } from '#access/caller';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { Body } from '#platform/input/request-parts.decorator';
import { WEBHOOK } from '#webhooks';
import { PannesService } from '../application/pannes.service';
import { PANNE } from '../domain/panne.errors';
import type { Panne } from '../domain/panne.types';
import { PanneInput, PanneItem } from './pannes.dto';
import { Routes } from './routes';

@ApiTags('Rehearsal')
@Requires({ role: 'partenaire', module: 'vote', environnement: 'staging' })
@Controller('b2b/v2/essai/pannes')
export class PannesController {
  constructor(
    private readonly pannes: PannesService,
    private readonly routes: Routes,
  ) {}

  @Put()
  @Answers({
    summary: 'Let requests or deliveries fail',
    description: [
      'The next `fois` requests of the partner’s keys of the data space to a route get a status, a delay or a cut connection, and do nothing else (a delayed request is served). A failure of an endpoint replaces the answers of its receiver, which gets the deliveries all the same, or makes them late; the deliveries show it.',
      'One failure a route and endpoint: another one replaces it. At most 20 a data space; each ends after an hour. A status is sent as problem details with the code `Essai.PanneSimulee`.',
    ].join('\n\n'),
    bodyExample: { route: 'GET /b2b/v1/employeur/{idExterne}', statut: 503, fois: 2 },
    type: PanneItem,
    example: {
      ...{
        route: 'GET /b2b/v1/employeur/{idExterne}',
        webhookId: null,
        statut: 503,
        delaiMs: null,
        coupure: null,
      },
      ...{ fois: 2, restantes: 2, expireLe: '2026-03-02T15:00:00.000Z' },
    },
    errors: [WEBHOOK.NotFound, PANNE.PannesTropNombreuses],
  })
  put(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() { modules }: ActorWithModules,
    @Body() body: PanneInput,
  ): Promise<Panne> {
    if (body.route != null) this.routes.assertFailing(body.route);
    return this.pannes.put(tenantId, modules, body);
  }

  @Get()
  @Answers({
    summary: 'List the failures on demand',
    description: 'Those that have not ended, oldest first.',
    type: [PanneItem],
  })
  list(@Tenant() tenantId: string): Promise<Panne[]> {
    return this.pannes.list(tenantId);
  }

  @Delete()
  @Answers({ summary: 'End all failures on demand', status: 204 })
  remove(@Tenant() tenantId: string): Promise<void> {
    return this.pannes.removeAll(tenantId);
  }
}
