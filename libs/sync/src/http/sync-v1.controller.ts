import { SYNC } from '../domain/sync.errors';
import { Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, type WithHeaders } from '#platform/http/answers.decorator';
import { BulkBody, type RawRequest } from '#platform/http/body.interceptor';
import { CallerLanguage } from '#platform/http/language';
import type { Streamed } from '#platform/http/streamed';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { SyncV1Service } from '../application/sync-v1.service';
import { answerOf, EFFETS_HEADERS } from './effets.dto';
import { SyncQuery, SyncV1Input, SyncV1ResultItem } from './sync-v1.dto';
import type { Language } from '#platform/errors/text';

@ApiTags('Employees')
@Requires({ role: 'partenaire' })
@Controller('b2b/v1/employe/sync')
export class SyncV1Controller {
  constructor(private readonly syncs: SyncV1Service) {}

  @Post()
  @BulkBody()
  @Answers({
    summary: 'Create or update many employees, employers and consent objects',
    description:
      'Everything accepted commits together. A rejected record is reported in `errors` and does not stop the others; the status is 200 even then. Up to 64 MB and 250,000 records over the three lists.',
    type: SyncV1ResultItem,
    headers: EFFETS_HEADERS,
    messages: true,
    errors: [SYNC.FreinDeclenche],
  })
  async sync(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Query() query: SyncQuery,
    @Body() body: SyncV1Input,
    @Req() request: RawRequest,
    @CallerLanguage() language: Language,
  ): Promise<WithHeaders<Streamed>> {
    return answerOf(
      await this.syncs.sync(tenantId, actor, body, {
        simulation: query.simulation ?? false,
        corps: () => request.rawBody!,
        language,
      }),
      language,
    );
  }
}
