/** Scenarios of a certification, in the order in which they run. */
export const SCENARIOS = [
  'valide',
  'doublon',
  'desordre',
  'corpsAltere',
  'horodatagePasse',
  'horodatageFutur',
  'mauvaisSecret',
  'deuxSignatures',
  'enTeteManquant',
  'proprieteInconnue',
  'accentsEtEmoji',
  'reponseLente',
  'dixALaFois',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

export const RESULTATS = ['Reussi', 'Echoue'] as const;
export type Resultat = (typeof RESULTATS)[number];
