import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '#platform/input/field.decorator';
import { ItemOf } from '#platform/input/record-classes';
import { READ_ONLY_FIELDS } from '../domain/read-only.fields';
import { EMPLOYEUR_V2_FIELDS, SYNDICAT_V2_FIELDS } from '../domain/syndicat.fields';

class EmployeurOfSyndicatItem {
  @Shown(EMPLOYEUR_V2_FIELDS.IdentifiantExterne)
  identifiantExterne: string;

  @Shown(EMPLOYEUR_V2_FIELDS.Nom)
  nom: string;
}

/** A union with its employers. */
export class SyndicatItem extends ItemOf(READ_ONLY_FIELDS) {
  @Shown(SYNDICAT_V2_FIELDS.IdentifiantExterne)
  identifiantExterne: string;

  @Shown(SYNDICAT_V2_FIELDS.Nom)
  nom: string;

  @ApiProperty({ type: [EmployeurOfSyndicatItem], description: 'Employers linked with the union.' })
  employeurs: EmployeurOfSyndicatItem[];
}
