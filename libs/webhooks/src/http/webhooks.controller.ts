import { LIVRAISON, WEBHOOK } from '../domain/webhooks.errors';
import { MODULE } from '#access/access.errors';
import { Controller, Delete, Get, Headers, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { ActorWithModules, Caller } from '#access/caller';
import { CurrentCaller, Requires, Tenant } from '#access/requires.decorator';
import { CurrentActorWithModules } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
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
import { fr } from '#platform/errors/text';

const PATH = '/b2b/v2/webhook';
const id = guidPart('endpoint', EXAMPLE_WEBHOOK_ID);
const livraisonId = guidPart('delivery', EXAMPLE_LIVRAISON_ID);

/** The rule of every operation on an endpoint (`assertOpen`), for descriptions. */
const OPEN = 'The key needs the modules of all types of the endpoint.';

const WebhookId = () => Param('id', new GuidPart(WEBHOOK.NotFound));
const LivraisonId = () => Param('livraisonId', new GuidPart(LIVRAISON.NotFound));

@ApiTags('Webhooks')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/webhook')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @Answers({
    summary: 'List the endpoints',
    description: 'Only endpoints whose types all belong to modules of the key, or to none.',
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
    description: `${OPEN} The response does not have the secret; \`clePublique\` is the public key of \`v1a\`.`,
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
  @SecretAnswer({
    en: 'Find the endpoint in the list of endpoints and rotate its secret.',
    fr: fr('Trouvez le webhook dans la liste des webhooks et renouvelez son secret.'),
  })
  @Answers({
    summary: 'Register an endpoint',
    description:
      'The service sends events as `{type, timestamp, data}` in a POST with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks 1.0. Every library of that standard verifies them. With `signature` `v1a` the receiver needs the public key only (`clePublique`). Each event arrives at least once, in any order: ignore a `webhook-id` seen before. Only 2xx within 15 s is a success; redirects are not followed. Further attempts follow 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after the previous one, or later if `Retry-After` requests it. A 410, or five days without success, disables the endpoint.',
    status: 201,
    type: CreatedWebhookItem,
    location: true,
    errors: [WEBHOOK.AdresseRefusee, WEBHOOK.TropNombreux, MODULE.NonActif],
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() manager: ActorWithModules,
    @Body() body: WebhookInput,
  ): Promise<Located> {
    const { id: made, item } = await this.webhooks.create(tenantId, manager, body);
    return new Located(`${PATH}/${made}`, item);
  }

  @Put(':id')
  @Answers({
    summary: 'Replace an endpoint',
    description:
      'The secret or key pair stays until the next rotation, which makes one of the `signature`. Waiting deliveries go to the new address; those of types that it no longer subscribes to become `Annulee`. `actif` true enables an endpoint that the service had disabled.',
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
    description: 'Also deletes the log of its deliveries. Waiting deliveries are not sent.',
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
  @SecretAnswer({
    en: 'Rotate again with a new Idempotency-Key, and give the receiver that secret at once, because its present secret signs for 24 more hours only.',
    fr: fr(
      "Renouvelez de nouveau le secret avec une nouvelle valeur d'Idempotency-Key, et donnez ce secret aussitôt au récepteur, car son secret actuel ne signe que pendant 24 heures de plus.",
    ),
  })
  @Answers({
    summary: 'Give an endpoint a new secret',
    description:
      'The secret, or the key pair, is of the `signature` of the endpoint. Each replaced one also signs for 24 hours, to give receivers time to change: deliveries have a signature by each. Up to five replaced secrets sign at a time.',
    path: { id },
    status: 200,
    type: RotatedWebhookItem,
    errors: [WEBHOOK.NotFound, WEBHOOK.RotationsTropNombreuses, MODULE.NonActif],
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
      'Sends an event `webhook.test`, whatever types the endpoint subscribes to. The log shows the result.',
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
  ): Promise<Located> {
    const item = await this.webhooks.test(tenantId, manager, webhookId);
    return new Located(`${PATH}/${webhookId}/livraisons/${(JSON.parse(item) as LivraisonItem).id}`, item);
  }

  @Get(':id/livraisons')
  @Answers({
    summary: 'List the deliveries to an endpoint',
    description: `Newest first, with their attempts. Kept for 30 days, like the events. ${OPEN} Omits earlier deliveries of types that belong to other modules.`,
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
    description: 'In any state, at once and with the whole schedule, under the same `webhook-id`.',
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
  ): Promise<Located> {
    const item = await this.webhooks.resend(tenantId, manager, webhookId, id);
    return new Located(`${PATH}/${webhookId}/livraisons/${id}`, item);
  }

  @Post(':id/recuperer')
  @Answers({
    summary: 'Replay events to an endpoint',
    description:
      'Sends all events of its types since a time, including those that it accepted, each under its `webhook-id`. For a receiver that lost events, was not active, or is new.',
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
  ): Promise<Located<RecuperationItem>> {
    const nombreLivraisons = await this.webhooks.replay(tenantId, manager, webhookId, body.depuis);
    return new Located(`${PATH}/${webhookId}/livraisons`, { nombreLivraisons });
  }
}
