import { getSchemaPath } from '@nestjs/swagger';
import { ItemOf } from '#platform/input/record-classes';
import { type Value, value } from '#platform/input/values';
import { VALEUR_FIELDS } from '../domain/employe-v2.fields';

/** The type and the name, which begin each value. */
function named<const T extends string>(type: T) {
  return {
    type: value.only(type, 'Type of the field, which determines the form of the value.'),
    nom: { ...VALEUR_FIELDS.NomChamp, description: 'Name of the custom field.' },
  };
}

class ValeurTexteItem extends ItemOf({
  ...named('texte'),
  valeur: value.text('The text.', 'Casque bleu'),
}) {}

class ValeurDateItem extends ItemOf({
  ...named('date'),
  valeur: value.time('The date-time (UTC).', '2026-01-15T00:00:00.000Z'),
}) {}

class ValeurBooleenItem extends ItemOf({
  ...named('booleen'),
  valeur: value.flag('Yes or no.', true),
}) {}

class ValeurChoixItem extends ItemOf({
  ...named('choix'),
  idExterneChoix: value.text('External identifier of the choice, not its label.', 'NUIT'),
}) {}

const VALEURS = {
  texte: ValeurTexteItem,
  date: ValeurDateItem,
  booleen: ValeurBooleenItem,
  choix: ValeurChoixItem,
};

export type ValeurV2Item = ValeurTexteItem | ValeurDateItem | ValeurBooleenItem | ValeurChoixItem;

/** The classes that a class with `valeursV2` names as its extra models. */
export const VALEURS_V2_ITEMS = Object.values(VALEURS);

/** A property of an answer: custom values in the polymorphic shape (docs/contract.md, "Custom fields"). */
export function valeursV2(description: string): Value<ValeurV2Item[]> {
  return {
    schema: {
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
    },
  };
}
