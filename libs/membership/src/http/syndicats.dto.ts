import { uncapitalized } from '#platform/input/field';
import { ItemOf } from '#platform/input/record-classes';
import { EMPLOYEUR_V2_FIELDS, SYNDICAT_V2_FIELDS } from '../domain/syndicat.fields';

class EmployeurOfSyndicatItem extends ItemOf(uncapitalized(EMPLOYEUR_V2_FIELDS)) {}

const SYNDICAT = {
  ...uncapitalized(SYNDICAT_V2_FIELDS),
  employeurs: { kind: 'rows', always: true, description: 'Employers linked with the union.' },
} as const;

/** A union with its employers. */
export class SyndicatItem extends ItemOf(SYNDICAT, { employeurs: EmployeurOfSyndicatItem }) {}
