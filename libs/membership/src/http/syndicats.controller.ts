import { SYNDICAT } from '../domain/membership.errors';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { Streamed } from '#platform/http/streamed';
import { Query } from '#platform/input/request-parts.decorator';
import { SyndicatsService } from '../application/syndicats.service';
import { SyndicatItem } from './syndicats.dto';

@ApiTags('Unions')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/syndicat')
export class SyndicatsController {
  constructor(private readonly syndicats: SyndicatsService) {}

  @Get()
  @Answers({ summary: 'List the unions with their employers', type: [SyndicatItem], paged: true, etag: true })
  list(@Tenant() tenantId: string, @Query() query: PagingQuery): Listing {
    return listOf(query, this.syndicats.list(tenantId));
  }

  @Get(':idExterne')
  @Answers({
    summary: 'Read a union with its employers',
    path: { idExterne: { description: 'External identifier of the union.', example: 'SYN-10' } },
    type: SyndicatItem,
    etag: true,
    errors: [SYNDICAT.NotFound],
  })
  async get(@Tenant() tenantId: string, @Param('idExterne') idExterne: string): Promise<Streamed> {
    const { parts, version } = await this.syndicats.get(tenantId, idExterne);
    return new Streamed(parts, version);
  }
}
