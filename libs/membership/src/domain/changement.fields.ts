import type { RecordOf } from '#platform/input/field';

/** Kinds of records of the master data, as the feed of changes names them. */
export const ENTITES = [
  'Employe',
  'Employeur',
  'Syndicat',
  'Emploi',
  'Adhesion',
  'ObjetConsentement',
] as const;

export const NATURES = ['Cree', 'Modifie', 'Termine', 'Supprime'] as const;

/** Kinds of changes in the feed, which also reports that an employee has absorbed another one. */
export const FED_NATURES = [...NATURES, 'Fusionne'] as const;

/** How a change came about: by a sync, by another write of the partner, or by the platform. */
export const ORIGINES = ['sync', 'api', 'plateforme'] as const;
export type Origine = (typeof ORIGINES)[number];

/** Filters of the feed of changes. */
export const CHANGEMENT_FILTERS = {
  entite: {
    kind: 'choice',
    values: ENTITES,
    description: 'Only changes of records of this kind.',
    example: 'Employe',
  },
} as const;

export type ChangementFilter = RecordOf<typeof CHANGEMENT_FILTERS>;
