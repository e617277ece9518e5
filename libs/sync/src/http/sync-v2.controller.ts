import { SYNC } from '../domain/sync.errors';
import { Controller, Headers, Post, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { type Accepted, Answers, prefersAsync, type WithHeaders } from '#platform/http/answers.decorator';
import { BulkBody, type RawRequest } from '#platform/http/body.interceptor';
import { CallerLanguage } from '#platform/http/language';
import type { Streamed } from '#platform/http/streamed';
import { Body, Query } from '#platform/input/request-parts.decorator';
import type { Records } from '../application/record-limits';
import { SyncV2Service } from '../application/sync-v2.service';
import { TachesService } from '../application/taches.service';
import { answerOf, EFFETS_HEADERS } from './effets.dto';
import { SyncQuery } from './sync-v1.dto';
import { EmployeV2Sync, SyncV2Input, SyncV2ResultItem } from './sync-v2.dto';
import { accepted, EXAMPLE_TACHE, TacheItem } from './taches.dto';
import type { Language } from '#platform/errors/text';

@ApiTags('Sync, V2')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2')
export class SyncV2Controller {
  constructor(
    private readonly syncs: SyncV2Service,
    private readonly taches: TachesService,
  ) {}

  @Post('sync')
  @BulkBody()
  @Answers({
    summary: 'Create or update unions, employers, employees, employments, memberships and consent objects',
    description: [
      'Everything accepted commits together. A rejected record is reported in `Erreurs` of its kind and does not stop the others; the status is 200 even then.',
      'Up to 64 MB, 250,000 records over the three lists and 400,000 nested ones, 2 MB a record.',
      'Employments: an empty or absent `Emplois` keeps the stored ones. Otherwise employments that are left out are deactivated. If an employment has no readable identifier, none is deactivated, because it may be any of them.',
    ].join('\n\n'),
    type: SyncV2ResultItem,
    headers: EFFETS_HEADERS,
    messages: true,
    errors: [SYNC.FreinDeclenche],
    accepted: TacheItem,
    acceptedExample: { ...EXAMPLE_TACHE, etat: 'EnAttente', traites: 0 },
  })
  async sync(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Query() query: SyncQuery,
    @Body() body: SyncV2Input,
    @Headers('prefer') prefer: string | undefined,
    @Req() request: RawRequest,
    @CallerLanguage() language: Language,
  ): Promise<WithHeaders<Streamed> | Accepted> {
    const simulation = query.simulation ?? false;
    if (!prefersAsync(prefer)) {
      const corps = (): Buffer => request.rawBody!;
      return answerOf(
        await this.syncs.sync(tenantId, actor, body, { simulation, corps, language }),
        language,
      );
    }
    return accepted(
      await this.taches.submit(tenantId, actor, request.rawBody!, body, simulation, { language }),
    );
  }

  @Post('employe/upsert')
  @BulkBody()
  @ApiBody({ type: EmployeV2Sync, isArray: true })
  @Answers({
    summary: 'Create or update many employees with their employments and memberships',
    description:
      'Equals a sync with `Employes` only; the body is their list. Up to 64 MB, 250,000 employees and 400,000 nested records, 2 MB a record.',
    type: SyncV2ResultItem,
    headers: EFFETS_HEADERS,
    messages: true,
    errors: [SYNC.FreinDeclenche],
  })
  async upsert(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Query() query: SyncQuery,
    @Body() body: Array<unknown>,
    @Req() { rawBody }: RawRequest,
    @CallerLanguage() language: Language,
  ): Promise<WithHeaders<Streamed>> {
    const request = { Employes: body as Records };
    const simulation = query.simulation ?? false;
    const corps = (): Buffer => {
      // A mark of byte order may only begin a text.
      const list = rawBody![0] === 0xef ? rawBody!.subarray(3) : rawBody!;
      return Buffer.concat([Buffer.from('{"Employes":'), list, Buffer.from('}')]);
    };
    return answerOf(
      await this.syncs.sync(tenantId, actor, request, { simulation, corps, language }),
      language,
    );
  }
}
