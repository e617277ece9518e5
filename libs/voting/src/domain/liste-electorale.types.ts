/** Result of an electoral list. The event `listeElectorale.creee` carries it with the campaign. */
export interface ListeElectorale {
  readonly Id: string;
  /** Employees that meet the criteria. */
  readonly NombreVotants: number;
  readonly NombreAjoutes: number;
  /** Found employees that were already on the roll. */
  readonly NombreDejaPresents: number;
  readonly DateCreationUtc: string;
}
