import { Controller, Get, Headers, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '#access/actor.decorator';
import { Requires, Tenant } from '#access/requires.decorator';
import type { Actor } from '#platform/audit/actor';
import type { Language } from '#platform/errors/text';
import { Answers, prefersAsync, WithHeaders } from '#platform/http/answers.decorator';
import { BulkBody } from '#platform/http/body.interceptor';
import { streamedJson } from '#platform/http/json-parts';
import { CallerLanguage, languageHeaders } from '#platform/http/language';
import { Streamed } from '#platform/http/streamed';
import { Body, Query } from '#platform/input/request-parts.decorator';
import { accepted, EFFETS_HEADERS, EXAMPLE_TACHE, SYNC, TacheItem, withEffets } from '#sync';
import { ElectoratService } from '../application/electorat.service';
import {
  ElectoratExportItem,
  ElectoratInput,
  ElectoratItem,
  EMPREINTE_HEADER,
  EMPREINTE_HEADERS,
} from './electorat.dto';

@ApiTags('Rehearsal')
@Requires({ role: 'partenaire', module: 'vote', environnement: 'staging' })
@Controller('b2b/v2/essai/electorat')
export class ElectoratController {
  constructor(private readonly electorat: ElectoratService) {}

  @Post()
  @BulkBody('stored')
  @Answers({
    summary: 'Make a synthetic electorate',
    description: [
      'Makes unions, employers and employees from a seed, and writes them with a V2 sync. Identifiers begin with `ESSAI-`; persons, employers and unions are invented. Another electorate of the data space updates the same identifiers.',
      'Of each twelve faults, one is of each kind. The sync rejects the records of eight kinds and accepts the others, as it does with the exports of partners.',
      'The response 202 has the digest in `Mandat-Empreinte`, too.',
    ].join('\n\n'),
    status: 200,
    type: ElectoratItem,
    messages: true,
    headers: { ...EFFETS_HEADERS, ...EMPREINTE_HEADERS },
    errors: [SYNC.FreinDeclenche],
    accepted: TacheItem,
    acceptedExample: { ...EXAMPLE_TACHE, etat: 'EnAttente', traites: 0 },
  })
  async create(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: ElectoratInput,
    @Headers('prefer') prefer: string | undefined,
    @CallerLanguage() language: Language,
  ): Promise<WithHeaders<unknown>> {
    if (prefersAsync(prefer)) {
      const { tache, empreinte } = await this.electorat.submit(tenantId, actor, body, language);
      return new WithHeaders({ [EMPREINTE_HEADER]: empreinte }, accepted(tache));
    }
    const { effets, ...item } = await this.electorat.sync(tenantId, actor, body, language);
    const headers = { ...languageHeaders(language), [EMPREINTE_HEADER]: item.empreinte };
    return withEffets(await streamedJson(item), effets, headers);
  }

  @Get()
  @Answers({
    summary: 'Read the export of a synthetic electorate',
    description:
      'The body of the sync that `POST` makes, for a plan, for `POST /b2b/v2/sync` or for a program of yours. Nothing is written.',
    type: ElectoratExportItem,
    headers: EMPREINTE_HEADERS,
  })
  async read(@Tenant() tenantId: string, @Query() query: ElectoratInput): Promise<WithHeaders<Streamed>> {
    const { empreinte, parts } = await this.electorat.export(tenantId, query);
    return new WithHeaders({ [EMPREINTE_HEADER]: empreinte }, new Streamed(parts));
  }
}
