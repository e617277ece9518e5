/** Faults of real exports. The sync rejects the record of those that are `Refuse`, and accepts the others. */
export const DEFAUTS = {
  Doublon: 'Refuse',
  DateImpossible: 'Refuse',
  FinAvantDebut: 'Refuse',
  CourrielInvalide: 'Refuse',
  CourrielAbsent: 'Accepte',
  AccentsDecomposes: 'Accepte',
  AccentsAbimes: 'Accepte',
  EspacesEnTrop: 'Accepte',
  NomAbsent: 'Refuse',
  EmployeurInconnu: 'Refuse',
  NombreAuLieuDeTexte: 'Refuse',
  ColonneInconnue: 'Refuse',
} as const;
export type Defaut = keyof typeof DEFAUTS;
export const NATURES_DEFAUT = Object.keys(DEFAUTS) as Defaut[];

/** How many employees have a fault. */
export interface NombreDefauts {
  readonly nature: Defaut;
  readonly nombre: number;
}
