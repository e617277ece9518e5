import { Controller, Get, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '#access/actor.decorator';
import { Requires, Tenant } from '#access/requires.decorator';
import type { Actor } from '#platform/audit/actor';
import type { Json } from '#platform/database/json';
import { DEBIT } from '#platform/errors/platform.errors';
import { Answers, Located, WithHeaders } from '#platform/http/answers.decorator';
import { Body } from '#platform/input/request-parts.decorator';
import { accepted, EXAMPLE_TACHE, TacheItem } from '#sync';
import { HorlogeService } from '../application/horloge.service';
import { HORLOGE } from '../domain/horloge.errors';
import { AvanceInput, HorlogeInput, HorlogeItem } from './horloge.dto';
import { HORLOGE_HEADER } from './horloge.guard';

const ERRORS = [HORLOGE.HorlogeRecule, HORLOGE.HorlogeTropLoin, HORLOGE.AvanceEnCours];

@ApiTags('Rehearsal')
@Requires({ role: 'partenaire', module: 'vote', environnement: 'staging' })
@Controller('b2b/v2/essai/horloge')
export class HorlogeController {
  constructor(private readonly horloges: HorlogeService) {}

  @Get()
  @Answers({
    summary: 'Read the clock of the data space',
    description: 'The real time, unless it was moved. Votes, consents and memberships go by it.',
    type: HorlogeItem,
  })
  async get(@Tenant() tenantId: string): Promise<Shown> {
    return shown(await this.horloges.read(tenantId));
  }

  @Put()
  @Answers({
    summary: 'Set the clock of the data space',
    description:
      'Forward only. Votes open and close by it at once; their events, the sealing and the count follow within seconds, with the time that the clock then shows. Use `avancer` to have everything happen at its time.',
    type: HorlogeItem,
    headers: { [HORLOGE_HEADER]: 'The time by the clock.' },
    errors: ERRORS,
  })
  async set(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() { maintenant }: HorlogeInput,
  ): Promise<WithHeaders<Shown>> {
    const item = shown(await this.horloges.set(tenantId, actor, maintenant));
    return new WithHeaders({ [HORLOGE_HEADER]: item.maintenant }, item);
  }

  @Post('avancer')
  @Answers({
    summary: 'Advance the clock of the data space',
    description:
      'The clock stops at each opening and closing of a vote on the way, until its events, sealing and count are through: they happen in their order, at their times. The task has ended when the clock shows `jusqua`. One at a time.',
    status: 202,
    type: TacheItem,
    example: { ...EXAMPLE_TACHE, type: 'horloge', etat: 'EnAttente', traites: 0, total: 1 },
    location: true,
    errors: [...ERRORS, DEBIT.Depasse],
  })
  async advance(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() { jusqua }: AvanceInput,
  ): Promise<Located<Json>> {
    return accepted(await this.horloges.advance(tenantId, actor, jusqua));
  }
}

interface Shown {
  readonly maintenant: string;
}

function shown(maintenant: Date): Shown {
  return { maintenant: maintenant.toISOString() };
}
