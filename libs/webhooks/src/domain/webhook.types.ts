/** States of a delivery. `Annulee`: at its time the endpoint was inactive or not subscribed. */
export const ETATS_LIVRAISON = ['EnAttente', 'Reussie', 'Echouee', 'Annulee'] as const;
export type EtatLivraison = (typeof ETATS_LIVRAISON)[number];

/** Schemes of signatures (Standard Webhooks 1.0): HMAC-SHA256 by a shared secret, and Ed25519 by a key pair. */
export const SIGNATURES = ['v1', 'v1a'] as const;
export type Signature = (typeof SIGNATURES)[number];

/** An attempt in the log. */
export interface Tentative {
  /** Start (ISO 8601). */
  readonly date: string;
  /** HTTP status; null without a response. */
  readonly statut: number | null;
  readonly dureeMs: number;
  /** The first kilobyte of the response, or the error. */
  readonly reponse: string;
}
