import { SYNDICAT } from '../domain/membership.errors';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires, Tenant } from '#access/requires.decorator';
import { Config } from '#platform/ops/config';
import { Answers } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { type Page, PagingQuery, type Position, sendList } from '#platform/http/listing';
import { Query } from '#platform/input/request-parts.decorator';
import { MasterDataV2Service } from '../application/master-data-v2.service';
import { SyndicatItem } from './syndicats.dto';

@ApiTags('Unions')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/syndicat')
export class SyndicatsController {
  constructor(
    private readonly masterData: MasterDataV2Service,
    private readonly config: Config,
  ) {}

  @Get()
  @Answers({ summary: 'List the unions with their employers', type: [SyndicatItem], paged: true })
  async list(
    @Tenant() tenantId: string,
    @Query() query: PagingQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const fetch = (after: Position | undefined, limit: number): Promise<Page> =>
      this.masterData.listSyndicats(tenantId, after, limit);
    await sendList(request, response, this.config.publicUrl, query, fetch);
  }

  @Get(':idExterne')
  @Answers({
    summary: 'Read a union with its employers',
    path: { idExterne: { description: 'External identifier of the union.', example: 'SYN-10' } },
    type: SyndicatItem,
    etag: true,
    errors: [SYNDICAT.NotFound],
  })
  get(@Tenant() tenantId: string, @Param('idExterne') idExterne: string): Promise<Json> {
    return this.masterData.getSyndicat(tenantId, idExterne);
  }
}
