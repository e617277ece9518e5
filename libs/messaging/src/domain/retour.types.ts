/** Values of `action` in a delivery status (RFC 3464, section 2.3.3). */
export const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const;
export type Action = (typeof ACTIONS)[number];

/** Classes of a status code by its second number (RFC 3463, section 3). */
export const RAISONS = {
  1: 'Adresse',
  2: 'BoiteAuxLettres',
  3: 'Systeme',
  4: 'Reseau',
  5: 'Protocole',
  6: 'Contenu',
  7: 'Politique',
} as const;

/** The class of all other codes. */
export const AUTRE_RAISON = 'Autre';

export const TOUTES_RAISONS = [...Object.values(RAISONS), AUTRE_RAISON] as const;
