import type { PersonneRecord } from '#membership/vocabulary';

/** The member as written on the card, always with an e-mail address. */
export interface Contact extends PersonneRecord {
  readonly courriel: string;
}

/** Data of a signing. Later changes of the employee, the form or the custom fields do not change it. */
export interface AsSigned extends Contact {
  readonly syndicatIdExterne: string;
  readonly dateSignature: Date;
  readonly transactionId?: string | null;
  readonly aSignatureManuscrite: boolean;
  readonly formulaireId?: string | null;
  /** Custom values in V2's polymorphic shape. */
  readonly valeursChamp: readonly object[];
}

/** A new row, by its id and as responses show it (JSON text). */
export interface Written {
  readonly id: string;
  readonly item: string;
}
