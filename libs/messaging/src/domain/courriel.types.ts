/** Voters of a campaign that an email is sent to. */
export const CIBLES = ['tous', 'nonVotants', 'nonJoints'] as const;
export type Cible = (typeof CIBLES)[number];

/** States of a recipient with the member of `etats` that counts them. */
export const COMPTES = {
  EnAttente: 'enAttente',
  EnCours: 'enCours',
  Envoye: 'envoyes',
  Refuse: 'refuses',
  Rejete: 'rejetes',
  Incertain: 'incertains',
  SansAdresse: 'sansAdresse',
  Doublon: 'doublons',
  Retenu: 'retenus',
} as const;

export type EtatDestinataire = keyof typeof COMPTES;
export const ETATS_DESTINATAIRE = Object.keys(COMPTES) as EtatDestinataire[];
