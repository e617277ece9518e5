import { ApiProperty } from '@nestjs/swagger';

import { InputOf } from '#platform/input/record-classes';
import { BULLETIN_FIELDS, REPONSE_FIELDS } from '../domain/bulletin.fields';

/** The answer to one question. */
export class ReponseInput extends InputOf(REPONSE_FIELDS) {}

/** A ballot: all questions answered at once. */
export class BulletinInput extends InputOf(BULLETIN_FIELDS, { Reponses: ReponseInput }) {}

/** Proof that a ballot is counted, for the voter. */
export class RecuItem {
  @ApiProperty({
    description:
      'Receipt: its owner can check that the ballot is counted. Voter and choices stay secret. It is returned only once.',
    example: 'kq0Gv1XyB3n5dW7uZ8rT2sLp4mQfHcJe',
  })
  Recu: string;
}
