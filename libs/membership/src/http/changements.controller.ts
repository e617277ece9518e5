import { Controller, Get } from '@nestjs/common';
import { ESPACE_DONNEES } from '#platform/errors/platform.errors';
import { ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { type Listing, listOf } from '#platform/http/listing';
import { Query } from '#platform/input/request-parts.decorator';
import { ChangementsService } from '../application/changements.service';
import { ChangementItem, ChangementList } from './changements.dto';

@ApiTags('Changes')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/changement')
export class ChangementsController {
  constructor(private readonly changements: ChangementsService) {}

  @Get()
  @Answers({
    summary: 'Follow the changes to the master data',
    description:
      'Every creation, change, end and deletion of employees, employers, unions, employments, memberships and consent objects, by any way, oldest first, without values: read the record for its present ones. Each response links to the next page (`Link`, rel="next"). An empty list means that there are no new changes: request the same link again later. A client that follows the links gets every change, even one that is committed late. Changes are kept for 400 days.',
    type: [ChangementItem],
    paged: true,
    // A read gives positions to new changes.
    errors: [ESPACE_DONNEES.EnDeplacement],
  })
  async list(@Tenant() tenantId: string, @Query() query: ChangementList): Promise<Listing> {
    const feed = await this.changements.open(tenantId, query, query.limite);
    return listOf(query, (after, limit) => feed.fetch(after, limit), { feed });
  }
}
