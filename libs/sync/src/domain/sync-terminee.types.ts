import type { Effets } from './effets.types';
import type { NomSync } from './sync.types';

/** Data of the event `sync.bloquee`. */
export interface SyncBloquee {
  readonly version: 'V1' | 'V2';
  /** The plan of the sync, which shows each change. */
  readonly planId: string;
  /** Effects that the sync would have had. */
  readonly effets: Effets;
}

/** Data of the event `sync.terminee`: counts only, because the response or the task has the records' errors. */
export interface SyncTerminee {
  readonly version: NomSync;
  /** The sync, which can be undone; null if it has written nothing. */
  readonly syncId: string | null;
  /** The task, where the sync was one. */
  readonly tacheId: string | null;
  readonly etat: 'Reussie' | 'Echouee';
  readonly simulation: boolean;
  readonly crees: number;
  readonly modifies: number;
  readonly refuses: number;
  readonly effets: Effets;
}
