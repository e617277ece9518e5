import { PLAN } from '../domain/sync.errors';
import { Controller, Delete, Get, Headers, Param, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor, CurrentActorWithModules } from '#access/actor.decorator';
import type { ActorWithModules } from '#access/caller';
import { Answers, Located, prefersAsync, type WithHeaders } from '#platform/http/answers.decorator';
import { BulkBody, type RawRequest } from '#platform/http/body.interceptor';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { CallerLanguage } from '#platform/http/language';
import type { Streamed } from '#platform/http/streamed';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import type { Json } from '#platform/database/json';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { PlansService } from '../application/plans.service';
import { answerOf, EFFETS_HEADERS } from './effets.dto';
import {
  EXAMPLE_PLAN_IDS,
  PlanChangementItem,
  PlanChangementList,
  PlanInput,
  PlanItem,
  PlanQuery,
} from './plans.dto';
import { SyncV1ResultItem } from './sync-v1.dto';
import { SyncV2ResultItem } from './sync-v2.dto';
import { accepted, EXAMPLE_TACHE, TacheItem } from './taches.dto';
import type { Language } from '#platform/errors/text';

const PlanId = () => Param('id', new GuidPart(PLAN.NotFound));

@ApiTags('Sync, V2')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/plan')
export class PlansController {
  constructor(private readonly plans: PlansService) {}

  @Post()
  @BulkBody()
  @Answers({
    summary: 'Plan a sync',
    description: [
      'Takes the body of a V2 sync, with `version=1` that of a V1 sync, and returns what the sync would do, by employer and by vote. It writes nothing but the plan, whose changes can be read one by one.',
      'A plan is kept for 24 h and applied once. A data space has at most 20 that can be applied. Up to 64 MB, as a sync.',
    ].join('\n\n'),
    status: 201,
    type: PlanItem,
    // A body has the lists of one version.
    bodyExample: { Employes: [{ IdExterne: 'E-1003', Prenom: 'Maude', Nom: 'Gagnon' }] },
    location: true,
    errors: [PLAN.TropNombreux],
    accepted: TacheItem,
    acceptedExample: { ...EXAMPLE_TACHE, type: 'plan', etat: 'EnAttente', traites: 0 },
  })
  async create(
    @Tenant() tenantId: string,
    @Query() query: PlanQuery,
    @Body() body: PlanInput,
    @CurrentActorWithModules() { actor, modules }: ActorWithModules,
    @Headers('prefer') prefer: string | undefined,
    @Req() request: RawRequest,
    @CallerLanguage() language: Language,
  ): Promise<Located> {
    const version = query.version === 1 ? 'V1' : 'V2';
    const corps = request.rawBody!;
    if (prefersAsync(prefer)) {
      const tache = await this.plans.submit(tenantId, actor, version, corps, body, language);
      return accepted(tache);
    }
    const id = await this.plans.draw(tenantId, version, corps, body);
    return new Located(`/b2b/v2/plan/${id}`, await this.plans.get(tenantId, id, modules));
  }

  @Get()
  @Answers({
    summary: 'List the plans',
    description: 'Those of the last 24 h, oldest first.',
    type: [PlanItem],
    paged: true,
  })
  list(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() { modules }: ActorWithModules,
    @Query() query: PagingQuery,
  ): Listing {
    return listOf(query, this.plans.list(tenantId, modules));
  }

  @Get(':id')
  @Answers({
    summary: 'Read a plan',
    path: { id: guidPart('plan', EXAMPLE_PLAN_IDS.aLire) },
    type: PlanItem,
    etag: true,
    errors: [PLAN.NotFound],
  })
  get(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() { modules }: ActorWithModules,
    @PlanId() id: string,
  ): Promise<Json> {
    return this.plans.get(tenantId, id, modules);
  }

  @Get(':id/changements')
  @Answers({
    summary: 'List the changes of a plan',
    description:
      'Each record that the sync would change, with its values before and after: a person’s records follow each other.',
    path: { id: guidPart('plan', EXAMPLE_PLAN_IDS.aLire) },
    type: [PlanChangementItem],
    paged: true,
    errors: [PLAN.NotFound],
  })
  changements(@Tenant() tenantId: string, @PlanId() id: string, @Query() query: PlanChangementList): Listing {
    return listOf(query, this.plans.changements(tenantId, id, query));
  }

  @Post(':id/appliquer')
  @BulkBody('stored')
  @Answers({
    summary: 'Apply a plan',
    description:
      'Does exactly what the plan shows, once, and returns the result of the sync. If a record that the plan touches has changed since, nothing is written; changes of other records do not matter.',
    path: { id: guidPart('plan', EXAMPLE_PLAN_IDS.aAppliquer) },
    status: 200,
    anyOf: [SyncV2ResultItem, SyncV1ResultItem],
    headers: EFFETS_HEADERS,
    messages: true,
    errors: [PLAN.NotFound, PLAN.Perime, PLAN.DejaApplique, PLAN.Bloque],
  })
  async apply(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @PlanId() id: string,
    @CallerLanguage() language: Language,
  ): Promise<WithHeaders<Streamed>> {
    return answerOf(await this.plans.apply(tenantId, actor, id, language), language);
  }

  @Delete(':id')
  @Answers({
    summary: 'Delete a plan',
    path: { id: guidPart('plan', EXAMPLE_PLAN_IDS.aSupprimer) },
    status: 204,
    errors: [PLAN.NotFound],
  })
  remove(@Tenant() tenantId: string, @PlanId() id: string): Promise<void> {
    return this.plans.remove(tenantId, id);
  }
}
