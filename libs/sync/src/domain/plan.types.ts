import type { Effets } from './effets.types';

/** Versions of the sync. */
export const VERSIONS = ['V1', 'V2'] as const;

/** States of a plan as stored. One that was not applied within 24 h is shown as `Expire`. */
export const ETATS_PLAN = ['Pret', 'Bloque', 'Applique', 'Perime'] as const;
export type EtatPlan = (typeof ETATS_PLAN)[number];

/** Hours that a plan is kept. */
export const PLAN_HOURS = 24;

/** Effects on the records of one employer; null for records that belong to none, and for employers beyond the largest. */
export interface EffetsParEmployeur extends Effets {
  readonly identifiantExterneEmployeur: string | null;
}

/** A vote that is published and has not ended, and the number of its voters whom a plan ends, changes or moves. */
export interface VoteTouche {
  readonly campagneId: string;
  readonly titre: string;
  readonly votants: number;
}
