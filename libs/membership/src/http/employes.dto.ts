import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { EMPLOYE_FIELDS } from '../domain/employe.fields';

/** Body of POST and PUT. PUT replaces every field and clears absent ones. */
export class EmployeInput extends InputOf(EMPLOYE_FIELDS) {}

/** The value of a custom field in the flat form of V1: the properties of other types are null. */
export class ValeurChampV1Item extends ItemOf({
  nom: value.text('Name of the field.', 'Quart de travail'),
  valeurTexte: value.orNull(value.text('Value of a field of type `texte`.', null)),
  valeurDate: value.orNull(value.time('Value of a field of type `date`.', null)),
  valeurBooleen: value.orNull(value.flag('Value of a field of type `booleen`.', null)),
  valeurChoix: value.orNull(value.text('Label of the choice of a field of type `choix`.', 'Nuit')),
}) {}

/** An employee as V1 shows it. */
export class EmployeItem extends ItemOf({
  ...EMPLOYE_FIELDS,
  valeursChampUtilisateur: value.list(ValeurChampV1Item, 'Values of custom fields.'),
}) {}
