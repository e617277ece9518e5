/** Effect of a failure. Exactly one is not null. */
export interface Effet {
  readonly statut: number | null;
  readonly delaiMs: number | null;
  readonly coupure: boolean | null;
}

/** Where a failure acts: exactly one is not null. */
export interface Cible {
  readonly route: string | null;
  readonly webhookId: string | null;
}

/** A failure on demand. */
export interface Panne extends Cible, Effet {
  readonly fois: number;
  readonly restantes: number;
  readonly expireLe: string;
}
