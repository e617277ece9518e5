import { CELLULE, CLIENT } from '../domain/clients.errors';
import { CLE } from '#access/access.errors';
import { Controller, Delete, Get, Headers, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import { SecretAnswer } from '#platform/http/idempotency.interceptor';
import { type Listing, listOf, pageOf, PagingQuery } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { ClientsService } from '../application/clients.service';
import {
  CleCreation,
  CleItem,
  CleRotation,
  ClientCreation,
  ClientItem,
  ClientModification,
  ClientSuspension,
  IssuedCleItem,
  EXAMPLE_CLE_ID,
} from './clients.dto';
import { ClientId, CLIENT_PART as clientId, CLOSED_CLIENT_PART, FORMER_CLIENT_PART } from './path-parts';
import { fr } from '#platform/errors/text';

const cleId = guidPart('key', EXAMPLE_CLE_ID);

const CleId = () => Param('cleId', new GuidPart(CLE.NotFound));

@Requires({ role: 'admin' })
@Controller('admin/v1/clients')
export class ClientsController {
  constructor(private readonly clients: ClientsService) {}

  @Post()
  @ApiTags('Clients')
  @Answers({
    summary: 'Create a client',
    description:
      'The client has two separate data spaces, `production` and `staging`, and no key: issue one for each.',
    status: 201,
    type: ClientItem,
    location: true,
    etag: true,
    errors: [CLIENT.NomDejaUtilise, CELLULE.Inconnue],
  })
  async create(@CurrentActor() actor: Actor, @Body() body: ClientCreation): Promise<Located> {
    const client = await this.clients.create(actor, body);
    return new Located(`/admin/v1/clients/${client.id}`, JSON.stringify(ClientItem.of(client)));
  }

  @Get()
  @ApiTags('Clients')
  @Answers({
    summary: 'List the clients',
    description: 'In the order of their creation, with their modules, switches and limits.',
    type: [ClientItem],
    paged: true,
  })
  list(@Query() query: PagingQuery): Listing {
    return listOf(query, async (after, limit) =>
      pageOf(await this.clients.list(after, limit + 1), limit, (client) => ClientItem.of(client)),
    );
  }

  @Get(':clientId')
  @ApiTags('Clients')
  @Answers({
    summary: 'Read a client',
    description: 'Its modules, switches and limits. Another operation lists its keys.',
    path: { clientId },
    type: ClientItem,
    etag: true,
    errors: [CLIENT.NotFound],
  })
  async get(@ClientId() clientId: string): Promise<Json> {
    return JSON.stringify(ClientItem.of(await this.clients.get(clientId)));
  }

  @Put(':clientId')
  @ApiTags('Clients')
  @Answers({
    summary: 'Change a client',
    path: { clientId },
    description: 'An absent property stays as it is. Modules and limits take effect within 5 s.',
    // Leaves the name and the modules as they are, because the demonstration needs them.
    bodyExample: {
      organisation: { contactTechnique: 'integration@example.org', casUsage: 'Synchronise the payroll' },
      drapeaux: { resultatsVoteActifVisibles: false, seuilAnonymat: 5 },
      limiteParMinute: 1200,
      quotaCourrielsParJour: 5000,
      adresseDeReponse: 'secretariat@example.org',
      courrielsEssai: ['example.org'],
    },
    type: ClientItem,
    etag: true,
    ifMatch: true,
    errors: [CLIENT.NotFound, CLIENT.NomDejaUtilise, CLIENT.Supprime],
  })
  async update(
    @CurrentActor() actor: Actor,
    @ClientId() clientId: string,
    @Body() body: ClientModification,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<Json> {
    const client = await this.clients.update(actor, clientId, body, (current) =>
      assertIfMatch(ifMatch, JSON.stringify(ClientItem.of(current))),
    );
    return JSON.stringify(ClientItem.of(client));
  }

  @Post(':clientId/suspendre')
  @ApiTags('Clients')
  @Answers({
    summary: 'Suspend a client',
    path: { clientId: FORMER_CLIENT_PART },
    description: [
      'Every replica refuses its keys with 403 `Client.Suspendu` within 5 s. Its deliveries and e-mails wait; those that have begun end. Votes that are open end at their time and are counted.',
      'A client that is suspended already stays so from the same time, with the new reason.',
    ].join('\n\n'),
    type: ClientItem,
    status: 200,
    errors: [CLIENT.NotFound, CLIENT.Supprime],
  })
  async suspend(
    @CurrentActor() actor: Actor,
    @ClientId() clientId: string,
    @Body() { raison }: ClientSuspension,
  ): Promise<Json> {
    return JSON.stringify(ClientItem.of(await this.clients.suspend(actor, clientId, raison)));
  }

  @Post(':clientId/reprendre')
  @ApiTags('Clients')
  @Answers({
    summary: 'End the suspension of a client',
    path: { clientId: FORMER_CLIENT_PART },
    description:
      'Its keys work within 5 s. Deliveries and e-mails that waited go on within 5 minutes. A client that is not suspended stays as it is.',
    type: ClientItem,
    status: 200,
    errors: [CLIENT.NotFound, CLIENT.Supprime],
  })
  async resume(@CurrentActor() actor: Actor, @ClientId() clientId: string): Promise<Json> {
    return JSON.stringify(ClientItem.of(await this.clients.resume(actor, clientId)));
  }

  @Delete(':clientId')
  @ApiTags('Clients')
  @Answers({
    summary: 'Erase a client',
    path: { clientId: CLOSED_CLIENT_PART },
    description: [
      'For a client that has been suspended for 30 days. Its keys are revoked at once, and nothing of it can be changed any more. The data spaces are erased by the command `deplacements` or `effacements` of the operator: then `effaceLe` is set, and `nom`, `organisation` and the addresses are cleared.',
      'The client stays in the list, and its audit trail of administration stays. Repeating the request changes nothing.',
    ].join('\n\n'),
    status: 202,
    type: ClientItem,
    location: true,
    errors: [CLIENT.NotFound, CLIENT.NonSuspendu, CLIENT.VoteOuvert],
  })
  async erase(@CurrentActor() actor: Actor, @ClientId() clientId: string): Promise<Located> {
    const client = await this.clients.requestErasure(actor, clientId);
    return new Located(`/admin/v1/clients/${clientId}`, JSON.stringify(ClientItem.of(client)));
  }

  @Post(':clientId/cles')
  @SecretAnswer({
    en: 'Find the key by its name in the list of keys, revoke it, and issue another under a new Idempotency-Key.',
    fr: fr(
      "Trouvez la clé par son nom dans la liste des clés, révoquez-la, et émettez-en une autre avec une nouvelle valeur d'Idempotency-Key.",
    ),
  })
  @ApiTags('Keys')
  @Answers({
    summary: 'Issue a key',
    path: { clientId },
    description: 'Only this answer shows the key. Several keys may be active, which allows rotation.',
    status: 201,
    type: IssuedCleItem,
    location: true,
    errors: [CLIENT.NotFound, CLIENT.Supprime],
  })
  async issue(
    @CurrentActor() actor: Actor,
    @ClientId() clientId: string,
    @Body() body: CleCreation,
  ): Promise<Located<IssuedCleItem>> {
    const cle = IssuedCleItem.of(await this.clients.issueCle(actor, clientId, body));
    return new Located(`/admin/v1/clients/${clientId}/cles/${cle.id}`, cle);
  }

  @Get(':clientId/cles')
  @ApiTags('Keys')
  @Answers({
    summary: "List a client's keys, without their secrets",
    description: 'In the order of their creation, including revoked and expired keys.',
    path: { clientId },
    type: [CleItem],
    paged: true,
    errors: [CLIENT.NotFound],
  })
  cles(@ClientId() clientId: string, @Query() query: PagingQuery): Listing {
    return listOf(query, async (after, limit) =>
      pageOf(await this.clients.listCles(clientId, after, limit + 1), limit, (cle) => CleItem.of(cle)),
    );
  }

  @Get(':clientId/cles/:cleId')
  @ApiTags('Keys')
  @Answers({
    summary: 'Read a key, without its secret',
    description: 'With its last use, its expiry and its revocation.',
    path: { clientId, cleId },
    type: CleItem,
    etag: true,
    errors: [CLIENT.NotFound, CLE.NotFound],
  })
  async cle(@ClientId() clientId: string, @CleId() cleId: string): Promise<Json> {
    return JSON.stringify(CleItem.of(await this.clients.getCle(clientId, cleId)));
  }

  @Post(':clientId/cles/:cleId/rotation')
  @SecretAnswer({
    en: 'Repeat the rotation under a new Idempotency-Key, or issue a key if the old one has ended.',
    fr: fr(
      "Répétez le renouvellement avec une nouvelle valeur d'Idempotency-Key, ou émettez une clé si l'ancienne est terminée.",
    ),
  })
  @ApiTags('Keys')
  @Answers({
    summary: 'Replace a key',
    path: { clientId, cleId },
    description:
      'Issues a key with the name, the role, the data space and the modules of this one, which ends after the grace period, or when it expires if that is earlier. A key that expires is replaced by one with as long a life. Only this answer shows the new key.',
    status: 201,
    type: IssuedCleItem,
    location: true,
    errors: [CLIENT.NotFound, CLE.NotFound, CLE.DejaTerminee],
  })
  async rotate(
    @CurrentActor() actor: Actor,
    @ClientId() clientId: string,
    @CleId() cleId: string,
    @Body() { graceHeures }: CleRotation,
  ): Promise<Located<IssuedCleItem>> {
    const cle = IssuedCleItem.of(await this.clients.rotateCle(actor, clientId, cleId, graceHeures));
    return new Located(`/admin/v1/clients/${clientId}/cles/${cle.id}`, cle);
  }

  @Delete(':clientId/cles/:cleId')
  @ApiTags('Keys')
  @Answers({
    summary: 'Revoke a key',
    path: { clientId, cleId },
    description: 'Every replica refuses the key within 5 s. Revoking it again changes nothing.',
    status: 204,
    ifMatch: true,
    errors: [CLIENT.NotFound, CLE.NotFound],
  })
  async revoke(
    @CurrentActor() actor: Actor,
    @ClientId() clientId: string,
    @CleId() cleId: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.clients.revokeCle(actor, clientId, cleId, (current) =>
      assertIfMatch(ifMatch, JSON.stringify(CleItem.of(current))),
    );
  }
}
