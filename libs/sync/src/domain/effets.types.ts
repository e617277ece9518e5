/** Effects of a sync over all kinds of records (docs/contract.md, "Effects"). */
export interface Effets {
  readonly crees: number;
  readonly modifies: number;
  readonly inchanges: number;
  readonly termines: number;
  readonly champsVides: number;
  readonly refuses: number;
  /** Of an undo only: records that it removed, because the sync had made them. */
  readonly supprimes?: number;
}

/** The result of a sync with its effects. */
export interface Synced<R> {
  readonly resultat: R;
  readonly effets: Effets;
}
