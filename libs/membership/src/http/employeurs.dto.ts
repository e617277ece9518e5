import { InputOf, ItemOf } from '#platform/input/record-classes';
import { EMPLOYEUR_FIELDS } from '../domain/employeur.fields';

/** Body of POST and PUT. */
export class EmployeurInput extends InputOf(EMPLOYEUR_FIELDS) {}

/** An employer as V1 shows it. */
export class EmployeurItem extends ItemOf(EMPLOYEUR_FIELDS) {}
