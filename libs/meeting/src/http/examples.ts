/** Identifiers of the demonstration tenant that the documentation names. */
export const EXAMPLE_IDS = {
  /** A meeting with a union, a quorum, presences and an agenda. */
  seance: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4e01',
  /** A meeting with only a title and a date. */
  seanceAutre: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4e02',
  /** Votable, with a result. */
  point: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4e11',
  /** Votable, without a result yet. */
  pointSansResultat: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4e12',
  pointNonVotable: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4e13',
} as const;
