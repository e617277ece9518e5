/** What the event `sync.terminee` tells: counts only, since the records' errors are in the answer or the task. */
export interface SyncTerminee {
  readonly version: 'V1' | 'V2';
  /** The task, where the sync was one. */
  readonly tacheId: string | null;
  readonly etat: 'Reussie' | 'Echouee';
  readonly simulation: boolean;
  readonly crees: number;
  readonly modifies: number;
  readonly refuses: number;
}
