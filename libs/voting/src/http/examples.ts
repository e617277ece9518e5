/** Identifiers of the demonstration tenant that the documentation names. */
export const EXAMPLE_IDS = {
  /** Draft with questions and voters. */
  campagne: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c01',
  /** Draft to which examples add questions, and from which they remove them. */
  aCompleter: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c08',
  /** A campaign for each transition, because the test executes each example. */
  aPublier: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c02',
  aDepublier: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c03',
  aOuvrir: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c04',
  aFermer: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c05',
  aArchiver: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c06',
  aSupprimer: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c07',
  /** Scheduled campaign. */
  aTirer: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c10',
  /** The two questions of the first campaign. */
  question: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c21',
  questionAutre: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c22',
  /** Questions of `aCompleter`. */
  questionACompleter: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c24',
  questionASupprimer: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c23',
  /** The two options of the first question. */
  option: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c31',
  optionAutre: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c32',
  optionASupprimer: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c33',
  /** Draft that examples make an encrypted vote, and an encrypted draft whose guardian has given no file. */
  aChiffrer: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c12',
  chiffree: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c13',
  /** Open encrypted vote: its question, the two options and a voter. */
  chiffreeOuverte: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c14',
  questionChiffree: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c27',
  optionChiffree: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c36',
  optionChiffreeAutre: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c37',
  electeurChiffre: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c46',
  /** Encrypted vote that has ended and waits for the decryption: its question, the two options and the voters. */
  aDechiffrer: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c15',
  questionADechiffrer: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c28',
  optionADechiffrer: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c38',
  optionADechiffrerAutre: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c39',
  votantChiffre: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c47',
  votantChiffreAutre: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c48',
  /** Open vote: a voter who has voted, another who has not, its question and the first option. */
  ouverte: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c09',
  electeur: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c43',
  electriceAyantVote: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c44',
  questionOuverte: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c25',
  optionOuverte: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c34',
  /** Vote that has ended, with its bundle: a voter who has voted, its question and the chosen option. */
  comptee: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c11',
  votantCompte: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c45',
  questionComptee: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c26',
  optionComptee: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c35',
  recu: 'kq0Gv1XyB3n5dW7uZ8rT2sLp4mQfHcJe',
  empreinteRecu: 'kS3b4UUW3xZSXca1D2H-1LmQmqyOrNcvXgHJj_IhDuU',
  votant: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c41',
  votantASupprimer: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c42',
} as const;

/** A checkpoint of the log of receipts. */
export const EXAMPLE_NOTE = `mandat/campagnes/${EXAMPLE_IDS.ouverte}
300
qkW2hBn7t1n2pvXkcm0pQJdUO4lBYqM2S8E1rSxCTkY=

— mandat/campagnes/${EXAMPLE_IDS.ouverte} c2lnbmF0dXJl
`;
