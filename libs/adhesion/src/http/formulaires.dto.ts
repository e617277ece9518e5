import { omit, pick } from '#platform/input/field';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { FORMULAIRE_FIELDS } from '../domain/formulaire.fields';

/** Body of POST and PUT; PUT replaces every property. */
export class FormulaireInput extends InputOf(FORMULAIRE_FIELDS) {}

/** A form that members fill to sign. */
export class FormulaireItem extends ItemOf({
  ...omit(FORMULAIRE_FIELDS, 'syndicatIdExterne', 'actif'),
  ...pick(FORMULAIRE_FIELDS, 'syndicatIdExterne', 'actif'),
}) {}
