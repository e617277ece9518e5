import { ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#platform/input/field.decorator';
import { InputOf } from '#platform/input/record-classes';
import { PagingQuery } from '#platform/http/listing';
import { givenId, givenTime, readOnly } from '#platform/input/field';
import { COURRIEL_FIELDS, DESTINATAIRE_FILTER_FIELDS, DESTINATAIRES_FIELDS } from '../domain/courriel.fields';
import { ETATS_DESTINATAIRE, type EtatDestinataire } from '../domain/courriel.types';

/** Identifier of the documentation's examples; the demonstration tenant has it. */
export const EXAMPLE_COURRIEL_ID = '0198c2d4-7c21-7d40-8a13-5e9b0c4f6a01';

/** Recipients of an email: either `idExternes`, or `campagneId` with `cible`. */
export class DestinatairesInput extends InputOf(DESTINATAIRES_FIELDS) {}

export class CourrielInput extends InputOf(COURRIEL_FIELDS, { destinataires: DestinatairesInput }) {}

const Id = givenId('Identifier of the email (GUID).', EXAMPLE_COURRIEL_ID);
const count = (description: string, example: number) => ({ type: 'integer', description, example }) as const;

/** An accepted email. */
export class CourrielAccepteItem {
  @Shown(Id)
  id: string;

  @ApiProperty(count('Number of recipients, including those without address and duplicates.', 2))
  nombreDestinataires: number;
}

/** Number of recipients in each state; the sum is `nombreDestinataires`. */
export class EtatsItem {
  @ApiProperty(count('Waiting for the first or next attempt.', 0))
  enAttente: number;

  @ApiProperty(count('The message was handed over, and the mail server has not responded yet.', 0))
  enCours: number;

  @ApiProperty(count('The mail server accepted the message.', 2))
  envoyes: number;

  @ApiProperty(
    count('The mail server rejected the message permanently, or did not accept it for three days.', 0),
  )
  refuses: number;

  @ApiProperty(
    count(
      'The service failed before the response of the mail server: the message has most likely arrived, and is not sent again.',
      0,
    ),
  )
  incertains: number;

  @ApiProperty(count('The recipient has no email address, or was deleted.', 0))
  sansAdresse: number;

  @ApiProperty(count('Another recipient with the same address gets the message.', 0))
  doublons: number;
}

/** An email and its progress. */
export class CourrielItem {
  @Shown(Id)
  id: string;

  @Shown(COURRIEL_FIELDS.sujet)
  sujet: string;

  @Shown(givenTime('Time of acceptance (UTC).', '2026-03-02T14:05:09.120Z'))
  dateCreation: string;

  @ApiProperty(count('Number of recipients, including those without address and duplicates.', 2))
  nombreDestinataires: number;

  @ApiProperty({ type: EtatsItem, description: 'Number of recipients in each state.' })
  etats: EtatsItem;
}

/** Filter of recipients. */
export class DestinatairesQuery extends PagingQuery {
  @Input(DESTINATAIRE_FILTER_FIELDS.etat)
  etat?: EtatDestinataire;
}

/** A recipient of an email. */
export class DestinataireItem {
  @Shown(readOnly('External identifier of the employee; null for a voter without employee.', 'E-1001'))
  idExterne: string | null;

  @Shown({
    ...readOnly(
      'The voter (GUID); null if the request named employees.',
      '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c31',
    ),
    format: 'uuid',
  })
  votantId: string | null;

  @ApiProperty({ description: 'State of the recipient.', enum: ETATS_DESTINATAIRE, example: 'Envoye' })
  etat: EtatDestinataire;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'The last code with which the mail server deferred or rejected the message; null if it did neither.',
    example: 550,
  })
  codeSmtp: number | null;

  @Shown(givenTime('Time of the last change of state (UTC).', '2026-03-02T14:05:11.480Z'))
  date: string;
}
