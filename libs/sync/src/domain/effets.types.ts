/** Effects of a sync over all kinds of records (docs/contract.md, "Effects"). */
export interface Effets {
  readonly crees: number;
  readonly modifies: number;
  readonly inchanges: number;
  readonly termines: number;
  readonly champsVides: number;
  readonly refuses: number;
  /** Number of records that an undo removed because the sync had created them; absent for other syncs. */
  readonly supprimes?: number;
}

/** The result of a sync with its effects. */
export interface Synced<R> {
  readonly resultat: R;
  readonly effets: Effets;
}
