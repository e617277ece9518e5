import { ApiProperty } from '@nestjs/swagger';

import { InputOf } from '#platform/input/record-classes';
import { BULLETIN_FIELDS, REPONSE_FIELDS } from '../domain/bulletin.fields';

/** The answer to one question. */
export class ReponseInput extends InputOf(REPONSE_FIELDS) {}

/** A ballot: all questions answered at once. */
export class BulletinInput extends InputOf(BULLETIN_FIELDS, { Reponses: ReponseInput }) {}

/** What a voter keeps. */
export class RecuItem {
  @ApiProperty({
    description:
      'Receipt: whoever has it can see that a ballot with it is counted, and nothing of who cast it or what it says. It is told this once.',
    example: 'kq0Gv1XyB3n5dW7uZ8rT2sLp4mQfHcJe',
  })
  Recu: string;
}
