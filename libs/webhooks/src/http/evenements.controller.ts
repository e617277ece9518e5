import { ESPACE_DONNEES } from '#platform/errors/platform.errors';
import { MODULE } from '#access/access.errors';
import { Controller, Get } from '@nestjs/common';
import { ApiExtraModels, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#access/caller';
import { CurrentCaller, Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { type Listing, listOf } from '#platform/http/listing';
import { Query } from '#platform/input/request-parts.decorator';
import { EvenementsService } from '../application/evenements.service';
import { EVENT_DATA } from './event-data.dto';
import { EventCatalogue } from './event-catalogue';
import { EvenementItem, EvenementList, TypeEvenementItem } from './evenements.dto';

@ApiTags('Events')
@ApiExtraModels(...Object.values(EVENT_DATA))
@Requires({ role: 'partenaire' })
@Controller('b2b/v2')
export class EvenementsController {
  constructor(
    private readonly evenements: EvenementsService,
    private readonly catalogue: EventCatalogue,
  ) {}

  @Get('evenement')
  @Answers({
    summary: 'Follow the events',
    description:
      'The same events as webhooks, oldest first, for clients without an endpoint. Each response links to the next page (`Link`, rel="next"). An empty list means that there are no new events: request the same link again later. A client that follows the links gets every event, even one that is committed late. Events are kept for 30 days. A key reads the events of its modules.',
    type: [EvenementItem],
    paged: true,
    errors: [MODULE.NonActif, ESPACE_DONNEES.EnDeplacement],
  })
  async list(
    @Tenant() tenantId: string,
    @CurrentCaller() { modules }: Caller,
    @Query() query: EvenementList,
  ): Promise<Listing> {
    const feed = await this.evenements.open(tenantId, modules, query.type, query.limite);
    return listOf(query, (after, limit) => feed.fetch(after, limit), { feed });
  }

  @Get('type-evenement')
  @Answers({
    summary: 'List the types of event',
    description: 'With the JSON Schema of the data of each type.',
    type: [TypeEvenementItem],
  })
  types(): readonly TypeEvenementItem[] {
    return this.catalogue.list();
  }
}
