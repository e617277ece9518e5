/** Why an undo has left a record as it is. */
export const RAISONS = ['Modifie', 'Supprime', 'Retenu', 'ReferenceAbsente'] as const;

/** A record that is not as before the sync. */
export interface Conflict {
  readonly entite: string;
  readonly idExterne: string;
  /** The employee of an employment or membership. */
  readonly idExterneEmploye?: string;
  /** The field of a custom value, or of a link between a union and an employer. */
  readonly champ?: string;
  readonly raison: (typeof RAISONS)[number];
}
