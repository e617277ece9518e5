/** What an electoral list has done; the event `listeElectorale.creee` tells the same with its campaign. */
export interface ListeElectorale {
  readonly Id: string;
  /** Employees that meet the criteria. */
  readonly NombreVotants: number;
  readonly NombreAjoutes: number;
  /** Of them, those that were on the roll already. */
  readonly NombreDejaPresents: number;
  readonly DateCreationUtc: string;
}
