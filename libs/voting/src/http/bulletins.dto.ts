import { ApiProperty } from '@nestjs/swagger';
import { Input } from '#shared/http/field.decorator';
import {
  BULLETIN_FIELDS,
  type BulletinRecord,
  REPONSE_FIELDS,
  type ReponseRecord,
} from '../domain/bulletin.fields';

/** The answer to one question. */
export class ReponseInput implements ReponseRecord {
  @Input(REPONSE_FIELDS.QuestionId)
  QuestionId: string;

  @Input(REPONSE_FIELDS.Options)
  Options?: string[] | null;

  @Input(REPONSE_FIELDS.Abstention)
  Abstention?: boolean | null;
}

/** A ballot: all questions answered at once. */
export class BulletinInput implements BulletinRecord {
  @Input(BULLETIN_FIELDS.VotantId)
  VotantId: string;

  @Input(BULLETIN_FIELDS.Reponses, ReponseInput)
  Reponses: ReponseInput[];
}

/** What a voter keeps. */
export class RecuItem {
  @ApiProperty({
    description:
      'Receipt: whoever has it can see that a ballot with it is counted, and nothing of who cast it or what it says. It is told this once.',
    example: 'kq0Gv1XyB3n5dW7uZ8rT2sLp4mQfHcJe',
  })
  Recu: string;
}
