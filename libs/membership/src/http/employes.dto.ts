import { ApiProperty } from '@nestjs/swagger';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { omit } from '#platform/input/field';
import { EMPLOYE_FIELDS } from '../domain/employe.fields';

/** Body of POST and PUT. PUT replaces every field and clears absent ones. */
export class EmployeInput extends InputOf(EMPLOYE_FIELDS) {}

/** The value of a custom field in the flat form of V1: the properties of other types are null. */
export class ValeurChampV1Item {
  @ApiProperty({ description: 'Name of the field.', example: 'Quart de travail' })
  nom: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Value of a field of type `texte`.',
    example: null,
  })
  valeurTexte: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Value of a field of type `date`.',
    example: null,
  })
  valeurDate: string | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Value of a field of type `booleen`.',
    example: null,
  })
  valeurBooleen: boolean | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Label of the choice of a field of type `choix`.',
    example: 'Nuit',
  })
  valeurChoix: string | null;
}

/** An employee as V1 shows it. */
export class EmployeItem extends ItemOf(omit(EMPLOYE_FIELDS, 'valeursChampUtilisateur')) {
  @ApiProperty({ type: [ValeurChampV1Item], description: 'Values of custom fields.' })
  valeursChampUtilisateur: ValeurChampV1Item[];
}
