import { CLIENT, ClientId, ClientsService, ENVIRONMENT_PARTS } from '#clients';
import { PLAN } from '../domain/sync.errors';
import { Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Environment } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { Requires } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { EnvironmentPart } from '#access/environment-part.pipe';
import type { Json } from '#platform/database/json';
import { Answers } from '#platform/http/answers.decorator';
import { Unrecorded } from '#platform/http/idempotency.interceptor';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import { Body } from '#platform/input/request-parts.decorator';
import { noPlan, PlansService } from '../application/plans.service';
import { EXAMPLE_PLAN_IDS, PlanItem, PlanReleaseInput } from './plans.dto';

@ApiTags('Clients')
@Requires({ role: 'admin' })
@Controller('admin/v1/clients/:clientId/environnements/:environnement/plans/:planId')
export class PlansAdministrationController {
  constructor(
    private readonly clients: ClientsService,
    private readonly plans: PlansService,
  ) {}

  // A repetition changes nothing.
  @Post('autoriser')
  @Unrecorded()
  @Answers({
    summary: 'Release a plan from the brake',
    description:
      'The partner may then apply this one plan, although it ends or clears more than the brake of the client allows. A plan that can be applied is released from a brake that is set later.',
    path: { ...ENVIRONMENT_PARTS, planId: guidPart('plan', EXAMPLE_PLAN_IDS.aAutoriser) },
    status: 200,
    type: PlanItem,
    errors: [CLIENT.NotFound, PLAN.NotFound, PLAN.Perime, PLAN.DejaApplique],
  })
  async release(
    @CurrentActor() actor: Actor,
    @ClientId() clientId: string,
    @Param('environnement', new EnvironmentPart(PLAN.NotFound)) environnement: Environment,
    @Param('planId', new GuidPart(PLAN.NotFound)) planId: string,
    @Body() { raison }: PlanReleaseInput,
  ): Promise<Json> {
    const tenantId = await this.clients.tenantIn(clientId, environnement);
    if (tenantId === undefined) throw noPlan();
    return this.plans.release(tenantId, actor, planId, raison);
  }
}
