import type { Effets } from './effets.types';

/** The brake of a client, and the records of a data space that it compares with. */
export interface Freins {
  /** Percent of the current employments and memberships that a sync may end; null allows all. */
  readonly terminaisonsPourcent: number | null;
  /** Values that a sync may clear, in percent of the number of employees; null allows all. */
  readonly champsVidesPourcent: number | null;
  /** Smaller numbers are always allowed. */
  readonly minimum: number;
  /** Employments that a sync leaves out do not end. */
  readonly jamaisSupprimer: boolean;
  /** Employments and memberships that have not ended, before the sync. */
  readonly enCours: number;
  /** Employees before the sync. */
  readonly employes: number;
}

/** Whether the brake has a limit. */
export function isOn(freins: Pick<Freins, 'terminaisonsPourcent' | 'champsVidesPourcent'>): boolean {
  return freins.terminaisonsPourcent !== null || freins.champsVidesPourcent !== null;
}

/** Whether the brake stops a sync with these effects (docs/contract.md, "Plan and brake"). */
export function isBraked({ termines, champsVides }: Effets, freins: Freins): boolean {
  const isOver = (count: number, percent: number | null, all: number): boolean =>
    percent !== null && count >= freins.minimum && count * 100 > percent * all;
  return (
    isOver(termines, freins.terminaisonsPourcent, freins.enCours) ||
    isOver(champsVides, freins.champsVidesPourcent, freins.employes)
  );
}
