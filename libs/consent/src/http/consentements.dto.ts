import { ApiProperty } from '@nestjs/swagger';
import { ValeurChampV1Item } from '#membership';
import { Input, Shown } from '#shared/http/field.decorator';
import { PagingQuery } from '#shared/http/listing';
import { CONSENTEMENT_FIELDS, type ConsentementRecord } from '../domain/consentement.fields';
import { OBJET_CONSENTEMENT_FIELDS } from '../domain/objet-consentement.fields';

export class ConsentementList extends PagingQuery {
  @Input({
    kind: 'date',
    description:
      'Only consents of this time or later (`dateConsentement`, inclusive). Those of a signing that waited for conciliation carry the date of the signature.',
    example: '2026-01-01T00:00:00Z',
  })
  depuis?: Date;
}

/** What was consented to. */
class ObjetConsentementNomme {
  @Shown(OBJET_CONSENTEMENT_FIELDS.idExterne)
  idExterne: string;

  @Shown(OBJET_CONSENTEMENT_FIELDS.nom)
  nom: string;
}

/** One answer of an employee. A later one to the same object does not replace it: the history is kept. */
export class ConsentementItem {
  @Shown({ ...CONSENTEMENT_FIELDS.idExterneEmploye, description: 'External identifier of the employee.' })
  idExterneEmploye: string;

  @ApiProperty({ type: ObjetConsentementNomme, description: 'What was asked.' })
  objetConsentement: ObjetConsentementNomme;

  @Shown(CONSENTEMENT_FIELDS.accepte)
  accepte: boolean;

  @Shown(
    { ...CONSENTEMENT_FIELDS.dateConsentement, description: 'When it was given (UTC).' },
    { always: true },
  )
  dateConsentement: string;

  @ApiProperty({
    type: [ValeurChampV1Item],
    description: 'Custom values given with the consent, as they were then; empty where none were.',
  })
  valeursChampUtilisateur: ValeurChampV1Item[];
}

/** Body of POST. */
export class ConsentementInput implements ConsentementRecord {
  @Input(CONSENTEMENT_FIELDS.idExterneEmploye)
  idExterneEmploye: string;

  @Input(CONSENTEMENT_FIELDS.objetConsentementIdExterne)
  objetConsentementIdExterne: string;

  @Input(CONSENTEMENT_FIELDS.accepte)
  accepte: boolean;

  @Input(CONSENTEMENT_FIELDS.dateConsentement)
  dateConsentement?: Date | null;
}
