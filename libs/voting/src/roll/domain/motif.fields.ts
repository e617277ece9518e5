/** Criteria of an electoral list, as reasons name them. */
export const CRITERES = [
  'SyndicatsIdExternes',
  'EmployeursIdentifiantsExternes',
  'EmployesIdExternes',
] as const;
export type Critere = (typeof CRITERES)[number];

/** Reasons for which an employee is a voter of a campaign, or is not (docs/contract.md, "Explanation of a roll"). */
const MOTIFS = [
  'AdhesionActive',
  'AdhesionAbsente',
  'AdhesionPosterieure',
  'AdhesionTerminee',
  'EmploiActif',
  'EmploiPosterieur',
  'EmploiTermine',
  'EmployeurHorsCritere',
  'EmployeNomme',
  'EmployeHorsCritere',
  'SansEmploi',
  'InscritManuellement',
  'DroitRetire',
  'Retire',
  'SansListe',
] as const;
export type MotifName = (typeof MOTIFS)[number];

export const codeOf = (name: MotifName) => `Motif.${name}` as const;
export const MOTIF_CODES = MOTIFS.map(codeOf);

/** The smallest changes that put an employee on a roll. */
export const CHANGEMENTS = ['AppliquerEcarts', 'NouvelleListe', 'ActifsLe', ...CRITERES] as const;
export type Changement = (typeof CHANGEMENTS)[number];
