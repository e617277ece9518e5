import { TACHE } from '../domain/sync.errors';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers, type WithHeaders } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { GuidPart } from '#platform/input/guid-part.pipe';
import { type Tache, TachesService } from '../application/taches.service';
import { answerOf, EFFETS_HEADERS } from './effets.dto';
import { EXAMPLE_TACHE_ID, TacheItem } from './taches.dto';

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
    headers: EFFETS_HEADERS,
    etag: true,
    errors: [TACHE.NotFound],
  })
  async get(
    @Tenant() tenantId: string,
    @Param('id', new GuidPart(TACHE.NotFound, 'No task has this id.')) id: string,
  ): Promise<Json | WithHeaders<Json>> {
    const tache = await this.taches.get(tenantId, id);
    const item = jsonOf(tache);
    return tache.effets ? answerOf({ resultat: item, effets: tache.effets }) : item;
  }
}

/** Inserts the result as PostgreSQL's text, without parsing it, because it may have megabytes. */
export function jsonOf({ resultat, effets, erreur, ...tache }: Tache): Json {
  const members = [
    JSON.stringify(tache).slice(1, -1),
    ...(resultat === null ? [] : [`"resultat":${resultat}`]),
    ...(effets === null ? [] : [`"effets":${JSON.stringify(effets)}`]),
    ...(erreur === null ? [] : [`"erreur":${JSON.stringify(erreur)}`]),
  ];
  return `{${members.join(',')}}`;
}
