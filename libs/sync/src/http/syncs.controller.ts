import { SYNC } from '../domain/sync.errors';
import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActorWithModules } from '#access/actor.decorator';
import type { ActorWithModules } from '#access/caller';
import { Answers, type WithHeaders } from '#platform/http/answers.decorator';
import { BulkBody } from '#platform/http/body.interceptor';
import { type Listing, listOf, PagingQuery } from '#platform/http/listing';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import type { Json } from '#platform/database/json';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { UndoService } from '../application/undo.service';
import { EFFETS_HEADERS, withEffets } from './effets.dto';
import { SyncQuery } from './sync-v1.dto';
import { AnnulationInput, AnnulationItem, EXAMPLE_SYNC_IDS, SyncItem } from './syncs.dto';

const SyncId = () => Param('id', new GuidPart(SYNC.NotFound));

@ApiTags('Sync, V2')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/sync')
export class SyncsController {
  constructor(private readonly syncs: UndoService) {}

  @Get()
  @Answers({
    summary: 'List the syncs',
    description:
      'Syncs of both versions, tasks, applied plans and undos of the last 30 days that have written, the newest first. Simulations and stopped syncs are not among them.',
    type: [SyncItem],
    paged: true,
  })
  list(@Tenant() tenantId: string, @Query() query: PagingQuery): Listing {
    return listOf(query, this.syncs.list(tenantId));
  }

  @Get(':id')
  @Answers({
    summary: 'Read a sync',
    path: { id: guidPart('sync', EXAMPLE_SYNC_IDS.aLire) },
    type: SyncItem,
    etag: true,
    errors: [SYNC.NotFound],
  })
  get(@Tenant() tenantId: string, @SyncId() id: string): Promise<Json> {
    return this.syncs.get(tenantId, id);
  }

  @Post(':id/annuler')
  @BulkBody('stored')
  @ApiBody({ type: AnnulationInput, required: false })
  @Answers({
    summary: 'Undo a sync',
    description: [
      'Puts back what the sync has changed, where nothing has changed it since: ended employments are open again, cleared values come back, and records that it made are removed unless others refer to them.',
      'An undo is a sync with its own effects, and can be undone. Events that were sent and the rolls of votes stay as they are.',
    ].join('\n\n'),
    path: { id: guidPart('sync', EXAMPLE_SYNC_IDS.aAnnuler) },
    status: 200,
    bodyExample: { ignorerConflits: true },
    type: AnnulationItem,
    headers: EFFETS_HEADERS,
    errors: [SYNC.NotFound, SYNC.AnnulationEnConflit, SYNC.NonAnnulable],
  })
  async undo(
    @Tenant() tenantId: string,
    @CurrentActorWithModules() { actor, modules }: ActorWithModules,
    @SyncId() id: string,
    @Query() { simulation }: SyncQuery,
    @Body() { ignorerConflits }: AnnulationInput,
  ): Promise<WithHeaders<object>> {
    const request = { syncId: id, ignorerConflits: ignorerConflits ?? false };
    const { syncId, resultat, effets } = await this.syncs.undo(
      ...([tenantId, actor, request, simulation ?? false, modules] as const),
    );
    return withEffets({ syncId, ...resultat }, effets);
  }
}
