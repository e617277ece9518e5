/** Fields and errors that other contexts use: pure data and types, which their rules may import. */
export type { ChampRecord } from './domain/champ-utilisateur.fields';
export {
  EMPLOI_FIELDS,
  EMPLOYE_V2_FIELDS,
  MEMBERSHIP_FIELDS,
  VALEUR_FIELDS,
  type ValeurRecord,
} from './domain/employe-v2.fields';
export { EMPLOYE_FIELDS, PERSONNE_FIELDS, type PersonneRecord } from './domain/employe.fields';
export * from './domain/fusion.fields';
export { EMPLOYEUR_FIELDS } from './domain/employeur.fields';
export { EMPLOYEUR_V2_FIELDS, SYNDICAT_V2_FIELDS } from './domain/syndicat.fields';
export * from './domain/membership.errors';
export * from './domain/conflict.fields';
