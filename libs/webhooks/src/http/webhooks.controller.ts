import { LIVRAISON, WEBHOOK } from '../domain/webhooks.errors';
import { MODULE } from '#access/access.errors';
import { Controller, Delete, Get, Headers, Param, Post, Put, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ActorWithModules, Caller } from '#access/caller';
import { CurrentCaller, Requires, Tenant } from '#access/requires.decorator';
import { CurrentActorWithModules } from '#access/actor.decorator';
import { Answers } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { GuidPart } from '#platform/input/guid-part.pipe';
import { SecretAnswer } from '#platform/http/idempotency.interceptor';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { WebhooksService } from '../application/webhooks.service';
import {
  CreatedWebhookItem,
  EXAMPLE_LIVRAISON_ID,
  EXAMPLE_WEBHOOK_ID,
  EXAMPLE_WEBHOOK_INACTIF_ID,
  LivraisonItem,
  RecuperationInput,
  RecuperationItem,
  RotatedWebhookItem,
  WebhookInput,
  WebhookItem,
} from './webhooks.dto';

const PATH = '/b2b/v2/webhook';
const id = {
  description: 'Identifier of the endpoint (GUID).',
  format: 'uuid',
  example: EXAMPLE_WEBHOOK_ID,
} as const;
const livraisonId = {
  description: 'Identifier of the delivery (GUID).',
  format: 'uuid',
  example: EXAMPLE_LIVRAISON_ID,
} as const;

/** The rule of every operation on an endpoint, as descriptions say it (`assertOpen`). */
const OPEN = 'The key needs the modules of all types of the endpoint.';

const WebhookId = () => Param('id', new GuidPart(WEBHOOK.NotFound, 'No endpoint has this id.'));
const LivraisonId = () =>
  Param('livraisonId', new GuidPart(LIVRAISON.NotFound, 'The endpoint has no delivery with this id.'));

@ApiTags('Webhooks')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/webhook')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @Answers({
    summary: 'List the endpoints',
    description: 'Those whose types all belong to modules of the key, or to none. The others are left out.',
    type: [WebhookItem],
    paged: true,
  })
  list(
    @Tenant() tenantId: string,
    @CurrentCaller() { modules }: Caller,
    @Query() query: PagingQuery,
  ): Listing {
    return listOf(query, (after, limit) => this.webhooks.page(tenantId, modules, after, limit));
  }

  @Get(':id')
  @Answers({
    summary: 'Read an endpoint',
    description: `${OPEN} It never shows the secret.`,
    path: { id },
    type: WebhookItem,
    etag: true,
    errors: [WEBHOOK.NotFound, MODULE.NonActif],
  })
  get(
    @Tenant() tenantId: string,
    @CurrentCaller() { modules }: Caller,
    @WebhookId() webhookId: string,
  ): Promise<Json> {
    return this.webhooks.get(tenantId, modules, webhookId);
  }

  @Post()
  @SecretAnswer('Find the endpoint in the list of endpoints and rotate its secret.')
  @Answers({
    summary: 'Register an endpoint',
    description:
      'Events are posted to it as `{type, timestamp, data}` with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks 1.0; every library that verifies those verifies these. At least once and in no order: who has seen a `webhook-id` ignores it. Only 2xx within 15 s is success; redirects are not followed. Further attempts come 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after the one before, a little later where `Retry-After` asks for it. 410 and five days without success disable the endpoint.',
    status: 201,
    type: CreatedWebhookItem,
    location: true,
    errors: [WEBHOOK.AdresseRefusee, WEBHOOK.TropNombreux, MODULE.NonActif],
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() manager: ActorWithModules,
    @Body() body: WebhookInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    const { id: made, item } = await this.webhooks.create(tenantId, manager, body);
    response.location(`${PATH}/${made}`);
    return item;
  }

  @Put(':id')
  @Answers({
    summary: 'Replace an endpoint',
    description:
      'Its secret stays. Deliveries that wait go to the new address, those of types that it hears of no longer are `Annulee`. With `actif` true, one that the service had disabled goes on.',
    path: { id },
    type: WebhookItem,
    etag: true,
    ifMatch: true,
    errors: [WEBHOOK.NotFound, WEBHOOK.AdresseRefusee, MODULE.NonActif],
  })
  replace(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() manager: ActorWithModules,
    @WebhookId() webhookId: string,
    @Body() body: WebhookInput,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    return this.webhooks.replace(tenantId, manager, webhookId, body, ifMatch);
  }

  @Delete(':id')
  @Answers({
    summary: 'Delete an endpoint',
    description: 'With the log of its deliveries; what waits is not sent.',
    path: { id: { ...id, example: EXAMPLE_WEBHOOK_INACTIF_ID } },
    status: 204,
    ifMatch: true,
    errors: [WEBHOOK.NotFound, MODULE.NonActif],
  })
  async delete(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() manager: ActorWithModules,
    @WebhookId() webhookId: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.webhooks.delete(tenantId, manager, webhookId, ifMatch);
  }

  @Post(':id/secret/rotation')
  @SecretAnswer(
    'Rotate again under a new Idempotency-Key, and give the receiver that secret at once: the one that it has stops signing.',
  )
  @Answers({
    summary: 'Give an endpoint a new secret',
    description:
      'For 24 hours each delivery carries two signatures, by the new secret and by the one before, so that receivers can change over.',
    path: { id },
    status: 200,
    type: RotatedWebhookItem,
    errors: [WEBHOOK.NotFound, MODULE.NonActif],
  })
  async rotate(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() manager: ActorWithModules,
    @WebhookId() webhookId: string,
  ): Promise<Json> {
    return this.webhooks.rotate(tenantId, manager, webhookId);
  }

  @Post(':id/test')
  @Answers({
    summary: 'Send a test event to an endpoint',
    description:
      'An event `webhook.test`, whatever types the endpoint hears of. The log tells what became of it.',
    path: { id },
    status: 202,
    type: LivraisonItem,
    location: true,
    errors: [WEBHOOK.NotFound, WEBHOOK.Inactif, MODULE.NonActif],
  })
  async test(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() manager: ActorWithModules,
    @WebhookId() webhookId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    const item = await this.webhooks.test(tenantId, manager, webhookId);
    response.location(`${PATH}/${webhookId}/livraisons/${(JSON.parse(item) as LivraisonItem).id}`);
    return item;
  }

  @Get(':id/livraisons')
  @Answers({
    summary: 'List the deliveries to an endpoint',
    description: `Newest first, with what was attempted. Kept as long as the events, 30 days. ${OPEN} Deliveries of types that the endpoint had before and that belong to other modules are left out.`,
    path: { id },
    type: [LivraisonItem],
    paged: true,
    errors: [WEBHOOK.NotFound, MODULE.NonActif],
  })
  livraisons(
    @Tenant() tenantId: string,
    @CurrentCaller() { modules }: Caller,
    @WebhookId() webhookId: string,
    @Query() query: PagingQuery,
  ): Listing {
    return listOf(query, (after, limit) =>
      this.webhooks.livraisonsOf(tenantId, modules, webhookId, after, limit),
    );
  }

  @Get(':id/livraisons/:livraisonId')
  @Answers({
    summary: 'Read a delivery',
    description: `${OPEN} The key also needs the module of the type of the delivery.`,
    path: { id, livraisonId },
    type: LivraisonItem,
    etag: true,
    errors: [WEBHOOK.NotFound, LIVRAISON.NotFound, MODULE.NonActif],
  })
  livraison(
    @Tenant() tenantId: string,
    @CurrentCaller() { modules }: Caller,
    @WebhookId() webhookId: string,
    @LivraisonId() id: string,
  ): Promise<Json> {
    return this.webhooks.livraison(tenantId, modules, webhookId, id);
  }

  @Post(':id/livraisons/:livraisonId/renvoyer')
  @Answers({
    summary: 'Send a delivery again',
    description: 'Whatever became of it, at once and by the whole schedule, under the same `webhook-id`.',
    path: { id, livraisonId },
    status: 202,
    type: LivraisonItem,
    location: true,
    errors: [WEBHOOK.NotFound, LIVRAISON.NotFound, WEBHOOK.Inactif, WEBHOOK.TypeNonAbonne, MODULE.NonActif],
  })
  async resend(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() manager: ActorWithModules,
    @WebhookId() webhookId: string,
    @LivraisonId() id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    const item = await this.webhooks.resend(tenantId, manager, webhookId, id);
    response.location(`${PATH}/${webhookId}/livraisons/${id}`);
    return item;
  }

  @Post(':id/recuperer')
  @Answers({
    summary: 'Replay events to an endpoint',
    description:
      'All events of its types since a time, those that it accepted as well, each under its `webhook-id`: for a receiver that lost something, was not active, or is new.',
    path: { id },
    status: 202,
    type: RecuperationItem,
    location: true,
    errors: [WEBHOOK.NotFound, WEBHOOK.Inactif, MODULE.NonActif],
  })
  async replay(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() manager: ActorWithModules,
    @WebhookId() webhookId: string,
    @Body() body: RecuperationInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RecuperationItem> {
    const nombreLivraisons = await this.webhooks.replay(tenantId, manager, webhookId, body.depuis);
    response.location(`${PATH}/${webhookId}/livraisons`);
    return { nombreLivraisons };
  }
}
