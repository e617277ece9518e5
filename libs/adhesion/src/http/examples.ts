/** Identifiers of the demonstration tenant that the documentation names. */
export const EXAMPLE_IDS = {
  formulaire: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4f01',
  /** A form without cards. */
  formulaireLibre: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4f02',
  adhesion: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4a01',
  /** A card that can be deleted. */
  adhesionLibre: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4a02',
  /** The card of the member in the example of the deletion by member. */
  adhesionAutre: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4a03',
  demande: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4d01',
  demandeDouteuse: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4d02',
} as const;
