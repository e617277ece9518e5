import type { Conflict } from '#membership/vocabulary';
import type { Effets } from './effets.types';
import type { VoteTouche } from './plan.types';

/** Kinds of syncs: the two versions, and one that puts back what another has changed. */
export const NOMS_SYNC = ['V1', 'V2', 'Annulation'] as const;
export type NomSync = (typeof NOMS_SYNC)[number];

/** Days for which a sync can be undone. */
export const SYNC_DAYS = 30;

/** The result of an undo. */
export interface Annulation {
  readonly effets: Effets;
  /** The first records that were left, because they have changed since or others refer to them. */
  readonly conflits: readonly Conflict[];
  readonly nombreConflits: number;
  /** Effects that are not undone: sent events, and the rolls of votes that have not ended. */
  readonly nonAnnules: {
    readonly evenements: readonly string[];
    readonly votes: readonly VoteTouche[];
  };
}
