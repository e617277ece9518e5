import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires } from '#shared/access/requires.decorator';
import { Answers } from '#shared/http/answers.decorator';
import { GuidPart } from '#shared/http/guid-part.pipe';
import { ClientsService } from '../application/clients.service';
import {
  CleCreation,
  CleItem,
  ClientCreation,
  ClientItem,
  ClientModification,
  IssuedCleItem,
  EXAMPLE_CLE_ID,
  EXAMPLE_CLIENT_ID,
} from './clients.dto';

const clientId = { description: 'Identifier of the client (GUID).', example: EXAMPLE_CLIENT_ID };
const cleId = { description: 'Identifier of the key (GUID).', example: EXAMPLE_CLE_ID };

const ClientId = () => Param('clientId', new GuidPart('Client.NotFound', 'No client has this id.'));
const CleId = () => Param('cleId', new GuidPart('Cle.NotFound', 'The client has no key with this id.'));

@ApiTags('Clients')
@Requires({ role: 'admin' })
@Controller('admin/v1/clients')
export class ClientsController {
  constructor(private readonly clients: ClientsService) {}

  @Post()
  @Answers({
    summary: 'Create a client',
    status: 201,
    type: ClientItem,
    location: true,
    errors: ['Client.NomDejaUtilise'],
  })
  async create(
    @Body() body: ClientCreation,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ClientItem> {
    const client = ClientItem.of(await this.clients.create(body));
    response.location(`/admin/v1/clients/${client.id}`);
    return client;
  }

  @Get()
  @Answers({ summary: 'List the clients', type: [ClientItem] })
  async list(): Promise<ClientItem[]> {
    return (await this.clients.list()).map((client) => ClientItem.of(client));
  }

  @Get(':clientId')
  @Answers({ summary: 'Read a client', path: { clientId }, type: ClientItem, errors: ['Client.NotFound'] })
  async get(@ClientId() clientId: string): Promise<ClientItem> {
    return ClientItem.of(await this.clients.get(clientId));
  }

  @Put(':clientId')
  @Answers({
    summary: 'Change a client',
    path: { clientId },
    description: 'An absent property stays as it is. Modules and limits take effect within 5 s.',
    type: ClientItem,
    errors: ['Client.NotFound', 'Client.NomDejaUtilise'],
  })
  async update(@ClientId() clientId: string, @Body() body: ClientModification): Promise<ClientItem> {
    return ClientItem.of(await this.clients.update(clientId, body));
  }

  @Post(':clientId/cles')
  @Answers({
    summary: 'Issue a key',
    path: { clientId },
    description:
      'The key is shown in this answer and never again. Several keys may be active, so that they can be rotated.',
    status: 201,
    type: IssuedCleItem,
    location: true,
    errors: ['Client.NotFound'],
  })
  async issue(
    @ClientId() clientId: string,
    @Body() body: CleCreation,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IssuedCleItem> {
    const cle = IssuedCleItem.of(await this.clients.issueCle(clientId, body));
    response.location(`/admin/v1/clients/${clientId}/cles/${cle.id}`);
    return cle;
  }

  @Get(':clientId/cles')
  @Answers({
    summary: "List a client's keys, without their secrets",
    path: { clientId },
    type: [CleItem],
    errors: ['Client.NotFound'],
  })
  async cles(@ClientId() clientId: string): Promise<CleItem[]> {
    return (await this.clients.listCles(clientId)).map((cle) => CleItem.of(cle));
  }

  @Delete(':clientId/cles/:cleId')
  @HttpCode(204)
  @Answers({
    summary: 'Revoke a key',
    path: { clientId, cleId },
    description: 'Every replica refuses the key within 5 s. Revoking it again changes nothing.',
    status: 204,
    errors: ['Client.NotFound', 'Cle.NotFound'],
  })
  async revoke(@ClientId() clientId: string, @CleId() cleId: string): Promise<void> {
    await this.clients.revokeCle(clientId, cleId);
  }
}
