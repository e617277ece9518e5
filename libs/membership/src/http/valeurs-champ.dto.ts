import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Shown } from '#platform/input/field.decorator';
import { VALEUR_FIELDS } from '../domain/employe-v2.fields';

const nom = { ...VALEUR_FIELDS.NomChamp, description: 'Name of the custom field.' } as const;
const discriminator = { description: 'Type of the field, which determines the form of the value.' };

class ValeurTexteItem {
  @ApiProperty({ ...discriminator, enum: ['texte'] })
  type: 'texte';

  @Shown(nom)
  nom: string;

  @ApiProperty({ description: 'The text.', example: 'Casque bleu' })
  valeur: string;
}

class ValeurDateItem {
  @ApiProperty({ ...discriminator, enum: ['date'] })
  type: 'date';

  @Shown(nom)
  nom: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The date-time (UTC).',
    example: '2026-01-15T00:00:00.000Z',
  })
  valeur: string;
}

class ValeurBooleenItem {
  @ApiProperty({ ...discriminator, enum: ['booleen'] })
  type: 'booleen';

  @Shown(nom)
  nom: string;

  @ApiProperty({ description: 'Yes or no.', example: true })
  valeur: boolean;
}

class ValeurChoixItem {
  @ApiProperty({ ...discriminator, enum: ['choix'] })
  type: 'choix';

  @Shown(nom)
  nom: string;

  @ApiProperty({ description: 'External identifier of the choice, not its label.', example: 'NUIT' })
  idExterneChoix: string;
}

const VALEURS = {
  texte: ValeurTexteItem,
  date: ValeurDateItem,
  booleen: ValeurBooleenItem,
  choix: ValeurChoixItem,
};

export type ValeurV2Item = ValeurTexteItem | ValeurDateItem | ValeurBooleenItem | ValeurChoixItem;

/** The classes that a class with `ValeursV2` names as its extra models. */
export const VALEURS_V2_ITEMS = Object.values(VALEURS);

/** Declares a property of an answer: custom values in the polymorphic shape (docs/contract.md, "Custom fields"). */
export function ValeursV2(description: string): PropertyDecorator {
  return ApiProperty({
    description,
    type: 'array',
    items: {
      oneOf: VALEURS_V2_ITEMS.map((item) => ({ $ref: getSchemaPath(item) })),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(
          Object.entries(VALEURS).map(([type, item]) => [type, getSchemaPath(item)]),
        ),
      },
    },
  });
}
