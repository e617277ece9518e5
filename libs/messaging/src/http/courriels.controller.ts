import { CAMPAGNE } from '#voting';
import { COURRIEL } from '../domain/messaging.errors';
import { MODULE } from '#access/access.errors';
import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { ActorWithModules } from '#access/caller';
import { CurrentActorWithModules } from '#access/actor.decorator';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import { type Listing, listOf } from '#platform/http/listing';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { CourrielsService } from '../application/courriels.service';
import {
  CourrielAccepteItem,
  CourrielInput,
  CourrielItem,
  DestinataireItem,
  DestinatairesQuery,
  EXAMPLE_COURRIEL_ID,
} from './courriels.dto';

const id = guidPart('email', EXAMPLE_COURRIEL_ID);
const CourrielId = () => Param('id', new GuidPart(COURRIEL.NotFound));

@ApiTags('E-mail')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/courriel')
export class CourrielsController {
  constructor(private readonly courriels: CourrielsService) {}

  @Post()
  @Answers({
    summary: 'Send an email',
    description:
      'Sends to employees, or to the voters of a campaign (module `vote`). Each recipient gets one message; of several with the same address, one gets it. The service reads addresses when it sends a message; a voter who is an employee gets it at the employee’s address only, other voters at their own. It retries for three days if the mail server defers a message. Emails are kept for 30 days. From shows the name of the client, `(staging)` for a staging tenant, and the address of the service; Reply-To is the address that the operator has set for the client. All recipients count towards the daily quota (`courrielsParJour` of `GET /b2b/v1/moi`): an email that exceeds it is rejected as a whole. The platform sets List-Unsubscribe.',
    bodyExample: {
      destinataires: { idExternes: ['E-1001', 'E-1002'] },
      sujet: 'Assemblée générale du 12 mars',
      corpsHtml: '<p>L’assemblée générale aura lieu le <b>12 mars</b> à 19 h.</p>',
    },
    status: 202,
    type: CourrielAccepteItem,
    location: true,
    errors: [CAMPAGNE.NotFound, COURRIEL.AucunDestinataire, COURRIEL.QuotaDepasse, MODULE.NonActif],
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() expediteur: ActorWithModules,
    @Body() body: CourrielInput,
  ): Promise<Located<CourrielAccepteItem>> {
    const made = await this.courriels.create(tenantId, expediteur, body);
    return new Located(`/b2b/v2/courriel/${made.id}`, made);
  }

  @Get(':id')
  @Answers({
    summary: 'Read an email',
    description: 'With the number of recipients in each state. `destinataires` lists the recipients.',
    path: { id },
    type: CourrielItem,
    etag: true,
    errors: [COURRIEL.NotFound],
  })
  get(@Tenant() tenantId: string, @CourrielId() courrielId: string): Promise<Json> {
    return this.courriels.get(tenantId, courrielId);
  }

  @Get(':id/destinataires')
  @Answers({
    summary: 'List the recipients of an email',
    description:
      'Employees in the order of the request; voters in the order of their identifiers, with the module `vote`. `etat=Refuse`, `etat=Rejete` and `etat=Incertain` list the recipients who may need another email.',
    path: { id },
    type: [DestinataireItem],
    paged: true,
    errors: [COURRIEL.NotFound, MODULE.NonActif],
  })
  async destinataires(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() expediteur: ActorWithModules,
    @CourrielId() courrielId: string,
    @Query() query: DestinatairesQuery,
  ): Promise<Listing> {
    const fetch = await this.courriels.destinataires(tenantId, expediteur, courrielId, query.etat);
    return listOf(query, fetch);
  }
}
