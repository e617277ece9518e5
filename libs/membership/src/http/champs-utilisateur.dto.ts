import { InputOf, ItemOf } from '#platform/input/record-classes';
import { omit } from '#platform/input/field';
import { value } from '#platform/input/values';
import { CHAMP_FIELDS, CHOIX_FIELDS } from '../domain/champ-utilisateur.fields';

export class ChoixInput extends InputOf(CHOIX_FIELDS) {}

/** Body of POST and PUT. */
export class ChampInput extends InputOf(CHAMP_FIELDS, { choix: ChoixInput }) {}

const nom = {
  ...CHAMP_FIELDS.nom,
  required: false,
  description: 'The name in the path, or nothing.',
} as const;

/** Body of PUT under the name itself. */
export class ChampReplacement extends InputOf({ ...CHAMP_FIELDS, nom }, { choix: ChoixInput }) {}

class ChoixItem extends ItemOf(CHOIX_FIELDS) {}

/** A custom field. */
export class ChampItem extends ItemOf({
  ...omit(CHAMP_FIELDS, 'choix'),
  choix: value.list(ChoixItem, CHAMP_FIELDS.choix.description),
}) {}
