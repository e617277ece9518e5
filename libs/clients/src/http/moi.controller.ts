import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, ENVIRONMENTS, MODULES } from '#access/caller';
import { CurrentCaller, Requires } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import {
  BODY_BYTES,
  SYNC_BODY_BYTES,
  SYNC_NESTED_RECORDS,
  SYNC_RECORDS,
} from '#platform/limits/request-sizes';
import { ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { EXAMPLE_CLIENT_ID } from './clients.dto';

class LimitesItem extends ItemOf({
  requetesParMinute: value.integer('Requests a minute, over all connections.', 600),
  courrielsParJour: value.integer(
    'Recipients of e-mails a day, over all keys of the data space; the day is that of the client’s time zone.',
    5000,
  ),
  tailleMaximale: value.integer('Largest body, in bytes.', BODY_BYTES),
  tailleMaximaleSync: value.integer('Largest body of a sync, in bytes.', SYNC_BODY_BYTES),
  enregistrementsMaximauxSync: value.integer('Most records of a sync, over its lists.', SYNC_RECORDS),
  enregistrementsImbriquesMaximauxSync: value.integer(
    'Most records nested in those of a sync: employers, employments, memberships, custom values.',
    SYNC_NESTED_RECORDS,
  ),
}) {}

export class MoiItem extends ItemOf({
  clientId: value.id('Identifier of the client (ClientId).', EXAMPLE_CLIENT_ID),
  client: value.text('Name of the client.', 'Démonstration'),
  environnement: value.choice(ENVIRONMENTS, 'Data space that the key opens.', 'staging'),
  modules: {
    kind: 'choices',
    values: MODULES,
    always: true,
    description: 'Modules that the key may use.',
    example: ['carteMembre', 'vote'],
  },
  limites: value.one(LimitesItem, 'Limits of the key.'),
} as const) {}

@ApiTags('Key')
@Requires({ role: 'partenaire' })
@Controller('b2b/v1/moi')
export class MoiController {
  @Get()
  @Answers({ summary: 'What the key is: client, environment, modules, limits', type: MoiItem, etag: true })
  get(@CurrentCaller() caller: Caller): Json {
    const item: MoiItem = {
      clientId: caller.clientId!,
      client: caller.clientNom!,
      environnement: caller.environnement!,
      modules: [...caller.modules],
      limites: {
        requetesParMinute: caller.limiteParMinute,
        courrielsParJour: caller.courrielsParJour!,
        tailleMaximale: BODY_BYTES,
        tailleMaximaleSync: SYNC_BODY_BYTES,
        enregistrementsMaximauxSync: SYNC_RECORDS,
        enregistrementsImbriquesMaximauxSync: SYNC_NESTED_RECORDS,
      },
    };
    return JSON.stringify(item);
  }
}
