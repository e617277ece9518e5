import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentActorWithModules } from '#access/actor.decorator';
import { MODULE } from '#access/access.errors';
import type { ActorWithModules, Caller } from '#access/caller';
import { CurrentCaller, Requires, Tenant } from '#access/requires.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import { DEBIT } from '#platform/errors/platform.errors';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import { Body } from '#platform/input/request-parts.decorator';
import { type Certification, CertificationsService } from '../application/certifications.service';
import { CERTIFICATION, WEBHOOK } from '../domain/webhooks.errors';
import { CertificationItem, ConstatsInput, EXAMPLE_CERTIFICATION_ID } from './certifications.dto';
import { EXAMPLE_WEBHOOK_ID } from './webhooks.dto';

const id = guidPart('endpoint', EXAMPLE_WEBHOOK_ID);
const certificationId = guidPart('certification', EXAMPLE_CERTIFICATION_ID);

const WebhookId = () => Param('id', new GuidPart(WEBHOOK.NotFound));
const CertificationId = () => Param('certificationId', new GuidPart(CERTIFICATION.NotFound));

@ApiTags('Webhooks')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/webhook/:id/certification')
export class CertificationsController {
  constructor(private readonly certifications: CertificationsService) {}

  @Post()
  @Answers({
    summary: 'Certify the receiver of an endpoint',
    description:
      'Sends thirteen scenarios to the endpoint, at most 60 requests: valid ones, and others that a receiver must reject. All are events `webhook.test` with a proof, `data.defi`. Read the result at `Location`. At most ten in 24 hours for the data space. They are neither in the log of deliveries nor in the feed, and do not disable the endpoint.',
    path: { id },
    status: 202,
    type: CertificationItem,
    location: true,
    errors: [WEBHOOK.NotFound, WEBHOOK.Inactif, WEBHOOK.CertificationEnCours, DEBIT.Depasse, MODULE.NonActif],
  })
  async begin(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() manager: ActorWithModules,
    @WebhookId() webhookId: string,
  ): Promise<Located<Certification>> {
    const item = await this.certifications.begin(tenantId, manager, webhookId);
    return new Located(`/b2b/v2/webhook/${webhookId}/certification`, item);
  }

  @Get()
  @Answers({
    summary: 'Read the last certification of an endpoint',
    description: 'Its `verdict` is null while it runs. Kept for 30 days.',
    path: { id },
    type: CertificationItem,
    errors: [WEBHOOK.NotFound, CERTIFICATION.NotFound, MODULE.NonActif],
  })
  latest(
    @Tenant() tenantId: string,
    @CurrentCaller() { modules }: Caller,
    @WebhookId() webhookId: string,
  ): Promise<Certification> {
    return this.certifications.latest(tenantId, modules, webhookId);
  }

  @Post(':certificationId/constats')
  @Answers({
    summary: 'Prove which events a receiver has processed',
    description:
      'Send the `data.defi` of each event that was processed, as often as it was, once the certification has ended. The level `traitement` needs each accepted event once, and no rejected one. A later list replaces this one.',
    path: { id, certificationId },
    status: 200,
    type: CertificationItem,
    errors: [WEBHOOK.NotFound, CERTIFICATION.NotFound, MODULE.NonActif],
  })
  note(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() manager: ActorWithModules,
    @WebhookId() webhookId: string,
    @CertificationId() certification: string,
    @Body() body: ConstatsInput,
  ): Promise<Certification> {
    return this.certifications.note(tenantId, manager, webhookId, certification, body.traites);
  }
}
