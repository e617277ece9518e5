/** States of a move, like those of a task. */
export const ETATS_DEPLACEMENT = ['EnAttente', 'EnCours', 'Reussie', 'Echouee'] as const;

/** A move of a data space to another cell. */
export interface Deplacement {
  readonly id: string;
  readonly tenantId: string;
  readonly celluleOrigine: string;
  readonly cellule: string;
  readonly etat: (typeof ETATS_DEPLACEMENT)[number];
  /** Rows copied, of `total`. */
  readonly traites: number;
  readonly total: number;
  readonly erreur: { readonly code: string; readonly detail: string } | null;
  readonly dateCreation: Date;
  /** When the directory began to name the new cell; null before. */
  readonly dateBascule: Date | null;
  readonly dateFin: Date | null;
}
