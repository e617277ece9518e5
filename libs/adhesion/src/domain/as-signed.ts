import type { PersonneRecord } from '#membership/fields';

/** The member as written on the card, who always has an e-mail address. */
export interface Contact extends PersonneRecord {
  readonly courriel: string;
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
