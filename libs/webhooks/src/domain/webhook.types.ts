/** States of a delivery. `Annulee`: at its time the endpoint was inactive or not subscribed. */
export const ETATS_LIVRAISON = ['EnAttente', 'Reussie', 'Echouee', 'Annulee'] as const;
export type EtatLivraison = (typeof ETATS_LIVRAISON)[number];

/** One attempt in the log. */
export interface Tentative {
  /** When it began (ISO 8601). */
  readonly date: string;
  /** HTTP status; null where there was no answer. */
  readonly statut: number | null;
  readonly dureeMs: number;
  /** The first kilobyte of the answer, or what went wrong. */
  readonly reponse: string;
}
