/** Kinds of tasks: a V2 sync, new identifiers of employees, a plan, or the advance of a clock. */
export const TYPES_TACHE = ['sync', 'nouveauxIdentifiants', 'plan', 'horloge'] as const;
export type TypeTache = (typeof TYPES_TACHE)[number];

/** States of a task (docs/contract.md, "Tasks"). */
export const ETATS_TACHE = ['EnAttente', 'EnCours', 'Reussie', 'Echouee'] as const;
export type EtatTache = (typeof ETATS_TACHE)[number];

/** Why a task failed: the code and the detail that the request itself would have been answered. */
export interface ErreurTache {
  readonly code: string;
  readonly detail: string;
}
