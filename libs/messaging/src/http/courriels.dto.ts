import { ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#platform/input/field.decorator';
import { InputOf } from '#platform/input/record-classes';
import { PagingQuery } from '#platform/http/listing';
import { givenId, givenTime, readOnly } from '#platform/input/field';
import { COURRIEL_FIELDS, DESTINATAIRE_FILTER_FIELDS, DESTINATAIRES_FIELDS } from '../domain/courriel.fields';
import { ETATS_DESTINATAIRE, type EtatDestinataire } from '../domain/courriel.types';

/** Identifier of the documentation's examples; the demonstration tenant has it. */
export const EXAMPLE_COURRIEL_ID = '0198c2d4-7c21-7d40-8a13-5e9b0c4f6a01';

/** Whom a letter goes to: either `idExternes`, or `campagneId` with `cible`. */
export class DestinatairesInput extends InputOf(DESTINATAIRES_FIELDS) {}

export class CourrielInput extends InputOf(COURRIEL_FIELDS, { destinataires: DestinatairesInput }) {}

const Id = givenId('Identifier of the letter (GUID).', EXAMPLE_COURRIEL_ID);
const count = (description: string, example: number) => ({ type: 'integer', description, example }) as const;

/** A letter that was taken on. */
export class CourrielAccepteItem {
  @Shown(Id)
  id: string;

  @ApiProperty(count('Recipients, those without address and doubles included.', 2))
  nombreDestinataires: number;
}

/** How many recipients are in each state; together `nombreDestinataires`. */
export class EtatsItem {
  @ApiProperty(count('They wait for their first or next attempt.', 0))
  enAttente: number;

  @ApiProperty(count('Their message has been handed over, and the answer of the mail server is awaited.', 0))
  enCours: number;

  @ApiProperty(count('The mail server has taken their message.', 2))
  envoyes: number;

  @ApiProperty(count('The mail server has refused them for good, or has taken nothing for three days.', 0))
  refuses: number;

  @ApiProperty(
    count(
      'The service broke down between handing over and answer: the message has most likely arrived, and is not sent again.',
      0,
    ),
  )
  incertains: number;

  @ApiProperty(count('They have no e-mail address, or are gone.', 0))
  sansAdresse: number;

  @ApiProperty(count('Another recipient has the same address and is written to.', 0))
  doublons: number;
}

/** A letter and what has become of it. */
export class CourrielItem {
  @Shown(Id)
  id: string;

  @Shown(COURRIEL_FIELDS.sujet)
  sujet: string;

  @Shown(givenTime('When it was taken on (UTC).', '2026-03-02T14:05:09.120Z'))
  dateCreation: string;

  @ApiProperty(count('Recipients, those without address and doubles included.', 2))
  nombreDestinataires: number;

  @ApiProperty({ type: EtatsItem, description: 'How many recipients are in each state.' })
  etats: EtatsItem;
}

/** Filter of recipients. */
export class DestinatairesQuery extends PagingQuery {
  @Input(DESTINATAIRE_FILTER_FIELDS.etat)
  etat?: EtatDestinataire;
}

/** One recipient of a letter. */
export class DestinataireItem {
  @Shown(readOnly('External identifier of the employee; null for a voter tied to none.', 'E-1001'))
  idExterne: string | null;

  @Shown({
    ...readOnly('The voter (GUID); null where employees were named.', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c31'),
    format: 'uuid',
  })
  votantId: string | null;

  @ApiProperty({ description: 'Where the recipient is.', enum: ETATS_DESTINATAIRE, example: 'Envoye' })
  etat: EtatDestinataire;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The last code by which the mail server put off or refused; null where it did neither.',
    example: 550,
  })
  codeSmtp: number | null;

  @Shown(givenTime('When that became so (UTC).', '2026-03-02T14:05:11.480Z'))
  date: string;
}
