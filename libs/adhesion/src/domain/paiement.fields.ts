import { type RecordOf, text } from '#platform/input/field';

const reference = text(255, {
  required: true,
  description: 'Reference of the payment system.',
  example: 'PAY-88121',
});

/** A payment that is linked to a card (docs/contract.md, "Signing"). */
export const PAIEMENT_FIELDS = {
  montant: {
    kind: 'decimal',
    max: 1_000_000_000,
    decimals: 4,
    required: true,
    description: 'Amount, exact: a number or a decimal number as text, above 0, with at most 4 decimals.',
    example: 45.5,
  },
  devise: text(3, {
    format: 'currency',
    required: true,
    description: 'Currency: a code of ISO 4217 in capital letters.',
    example: 'CAD',
  }),
  reference,
} as const;

/** An authorization of future payments. */
export const AUTORISATION_FIELDS = { reference } as const;

export type PaiementRecord = RecordOf<typeof PAIEMENT_FIELDS>;
export type AutorisationRecord = RecordOf<typeof AUTORISATION_FIELDS>;
