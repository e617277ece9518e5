import { text } from '#platform/input/field';

/** States of a membership request (docs/contract.md, "Conciliation"). */
export const STATUTS_DEMANDE = ['ATransferer', 'Confirmee', 'Rejetee'] as const;
export type StatutDemande = (typeof STATUTS_DEMANDE)[number];

export const statut = {
  kind: 'choice',
  values: STATUTS_DEMANDE,
  required: true,
  description: 'State of the request: `ATransferer` waits for a decision.',
  example: 'ATransferer',
} as const;

export const raison = text(1_000, {
  required: true,
  description: 'Why the request is rejected.',
  example: 'Ne travaille pas chez un employeur du syndicat',
});
