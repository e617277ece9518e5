import { namesOf } from '#platform/input/field';
import { PERSONNE_FIELDS } from './employe.fields';

/** Properties of which an employee has one value, and the custom values together. */
export const MERGED_FIELDS = [...namesOf(PERSONNE_FIELDS), 'identifiantExterneEmployeur'] as const;
export const MERGED_VALEURS = 'valeursChampUtilisateur';
export const PREFERABLE = [...MERGED_FIELDS, MERGED_VALEURS] as const;
export type MergedField = (typeof PREFERABLE)[number];

/** Which of two values an employee keeps. */
export const CHOSEN = ['conserve', 'absorbe'] as const;
export type Chosen = (typeof CHOSEN)[number];

/** A property of which two employees had different values. */
export interface MergedValue {
  readonly champ: string;
  readonly retenu: Chosen;
}
