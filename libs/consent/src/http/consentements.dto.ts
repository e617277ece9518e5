import { ApiProperty } from '@nestjs/swagger';
import { ValeurChampV1Item } from '#membership';
import { Input } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { pick } from '#platform/input/field';
import { PagingQuery } from '#platform/http/listing';
import { CONSENTEMENT_FIELDS } from '../domain/consentement.fields';
import { OBJET_CONSENTEMENT_FIELDS } from '../domain/objet-consentement.fields';

export class ConsentementList extends PagingQuery {
  @Input({
    kind: 'date',
    description:
      'Only consents of this time or later (`dateConsentement`, inclusive). Consents of a signing that waited for conciliation have the date of the signature.',
    example: '2026-01-01T00:00:00Z',
  })
  depuis?: Date;
}

/** The consent object of a consent. */
class ObjetConsentementNomme extends ItemOf(pick(OBJET_CONSENTEMENT_FIELDS, 'idExterne', 'nom')) {}

/** One answer of an employee. A later answer to the same object does not replace it, because the history is kept. */
export class ConsentementItem extends ItemOf(
  pick(CONSENTEMENT_FIELDS, 'idExterneEmploye', 'accepte', 'dateConsentement'),
) {
  @ApiProperty({ type: ObjetConsentementNomme, description: 'What was asked.' })
  objetConsentement: ObjetConsentementNomme;

  @ApiProperty({
    type: [ValeurChampV1Item],
    description: 'Custom values given with the consent, as they were then; empty if there were none.',
  })
  valeursChampUtilisateur: ValeurChampV1Item[];
}

/** Body of POST. */
export class ConsentementInput extends InputOf(CONSENTEMENT_FIELDS) {}
