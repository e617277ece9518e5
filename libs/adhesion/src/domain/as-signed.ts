/** How to reach the member, as written on the card. */
export interface Contact {
  readonly prenom: string;
  readonly nom: string;
  readonly courriel: string;
  readonly telephonePrincipal?: string | null;
  readonly adresse1?: string | null;
  readonly ville?: string | null;
  readonly province?: string | null;
  readonly codePostal?: string | null;
  readonly noMembre?: string | null;
}

/** What a signing freezes: it stays as it is, whatever becomes of the employee, the form or the custom fields. */
export interface AsSigned extends Contact {
  readonly syndicatIdExterne: string;
  readonly dateSignature: Date;
  readonly transactionId?: string | null;
  readonly aSignatureManuscrite: boolean;
  readonly formulaireId?: string | null;
  /** Custom values in V2's polymorphic shape. */
  readonly valeursChamp: readonly object[];
}
