import { TACHE } from '../domain/sync.errors';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers, type WithHeaders } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { GuidPart } from '#platform/input/guid-part.pipe';
import { Streamed } from '#platform/http/streamed';
import { type LongResult, type Tache, TachesService } from '../application/taches.service';
import { EFFETS_HEADERS, withEffets } from './effets.dto';
import { around, EXAMPLE_TACHE, EXAMPLE_TACHE_ID, jsonOf, TacheItem } from './taches.dto';

@ApiTags('Sync, V2')
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/tache')
export class TachesController {
  constructor(private readonly taches: TachesService) {}

  @Get(':id')
  @Answers({
    summary: 'Read a task',
    description: 'Tasks are kept for 7 days after their end.',
    path: { id: { description: 'Identifier of the task.', example: EXAMPLE_TACHE_ID, format: 'uuid' } },
    type: TacheItem,
    example: EXAMPLE_TACHE,
    headers: EFFETS_HEADERS,
    etag: true,
    errors: [TACHE.NotFound],
  })
  async get(
    @Tenant() tenantId: string,
    @Param('id', new GuidPart(TACHE.NotFound)) id: string,
  ): Promise<Json | Streamed | WithHeaders<Json | Streamed>> {
    const tache = await this.taches.get(tenantId, id);
    const item = tache.long ? this.streamed(tenantId, tache, tache.long) : jsonOf(tache);
    return tache.effets ? withEffets(item, tache.effets) : item;
  }

  private streamed(tenantId: string, tache: Tache, long: LongResult): Streamed {
    const [before, after] = around(tache);
    const parts = async function* (
      resultat: AsyncGenerator<Uint8Array, void>,
    ): AsyncGenerator<Uint8Array, void> {
      yield Buffer.from(`${before},"resultat":`);
      yield* resultat;
      yield Buffer.from(after);
    };
    return new Streamed(
      () => parts(this.taches.resultat(tenantId, tache.id, long)),
      `${before}${after}${long.empreinte}`,
    );
  }
}
