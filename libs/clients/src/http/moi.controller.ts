import { Controller, Get } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { type Caller, ENVIRONMENTS, MODULES } from '#access/caller';
import { CurrentCaller, Requires } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { BODY_BYTES, SYNC_BODY_BYTES, SYNC_NESTED_RECORDS, SYNC_RECORDS } from '#platform/input/limits';

class LimitesItem {
  @ApiProperty({ description: 'Requests a minute, over all connections.', type: 'integer', example: 600 })
  requetesParMinute: number;

  @ApiProperty({
    description:
      'Recipients of e-mails a day, over all keys of the data space; the day is that of the client’s time zone.',
    type: 'integer',
    example: 5000,
  })
  courrielsParJour: number;

  @ApiProperty({ description: 'Largest body, in bytes.', type: 'integer', example: BODY_BYTES })
  tailleMaximale: number;

  @ApiProperty({
    description: 'Largest body of a sync, in bytes.',
    type: 'integer',
    example: SYNC_BODY_BYTES,
  })
  tailleMaximaleSync: number;

  @ApiProperty({
    description: 'Most records of a sync, over its lists.',
    type: 'integer',
    example: SYNC_RECORDS,
  })
  enregistrementsMaximauxSync: number;

  @ApiProperty({
    description:
      'Most records nested in those of a sync: employers, employments, memberships, custom values.',
    type: 'integer',
    example: SYNC_NESTED_RECORDS,
  })
  enregistrementsImbriquesMaximauxSync: number;
}

export class MoiItem {
  @ApiProperty({
    description: 'Identifier of the client (ClientId).',
    format: 'uuid',
    example: '8c1c9ad4-7a7e-4e2b-9a44-9a63d7fdc2a1',
  })
  clientId: string;

  @ApiProperty({ description: 'Name of the client.', example: 'Démonstration' })
  client: string;

  @ApiProperty({ description: 'Data space that the key opens.', enum: ENVIRONMENTS, example: 'staging' })
  environnement: string;

  @ApiProperty({
    description: 'Modules that the key may use.',
    enum: MODULES,
    isArray: true,
    example: ['carteMembre', 'vote'],
  })
  modules: string[];

  @ApiProperty({ description: 'Limits of the key.', type: LimitesItem })
  limites: LimitesItem;
}

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
