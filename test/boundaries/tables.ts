/** Tables and views by the library that owns them. Only the owner names them in SQL. */
export const TABLES: Readonly<Record<string, readonly string[]>> = {
  platform: [
    'evenement',
    'idempotency_record',
    'journal',
    'journal_tete',
    'travail_en_cours',
    'verification_journal',
  ],
  clients: [
    'client',
    'tenant',
    'cle',
    'etat_annuaire',
    'reglage',
    'horloge_essai',
    'deplacement',
    'rate_window',
  ],
  topology: ['derniere_ecriture', 'espace_ferme'],
  membership: [
    'employe',
    'employeur',
    'emploi',
    'emploi_v1',
    'membership',
    'syndicat',
    'syndicat_employeur',
    'champ_utilisateur',
    'choix_champ',
    'valeur_champ_employe',
    'numero_membre',
    'ancien_identifiant',
    'changement',
    'changement_lot',
    'etat_listes',
  ],
  consent: ['objet_consentement', 'consentement'],
  adhesion: [
    'adhesion',
    'demande_adhesion',
    'consentement_demande',
    'formulaire',
    'formulaire_champ',
    'formulaire_objet',
    'signature_manuscrite',
    'paiement',
    'autorisation_paiement',
  ],
  voting: [
    'campagne',
    'chiffrement',
    'chiffrement_fichier',
    'chiffrement_somme',
    'cle_dossier',
    'question',
    'option',
    'votant',
    'votant_ecarte',
    'liste_electorale',
    'bulletin',
    'recu',
    'recu_noeud',
    'engagement',
    'participation',
    'depouillement',
    'dossier',
    'dossier_fichier',
    'dossier_morceau',
    'urne',
    'urne_option',
    'urne_question',
  ],
  meeting: ['seance', 'point_seance'],
  sync: ['plan', 'plan_changement', 'sync', 'sync_image', 'tache', 'tache_morceau'],
  webhooks: ['webhook', 'livraison', 'certification'],
  messaging: ['courriel', 'courriel_destinataire'],
  personne: ['ancien_employe'],
  essai: ['panne_essai'],
};

/** Libraries that name a table of another library, and why. */
export const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  webhooks: {
    evenement: 'The outbox of the platform only adds events. Webhooks orders, delivers and removes them.',
  },
  voting: {
    employe:
      'An excluded voter is deleted with its employee by the foreign key; the list of personal data says so.',
    reglage:
      'At the first publication the ballot box reads the threshold of anonymity, so a request cannot choose it.',
  },
  consent: {
    employe:
      'Consents are deleted with their employee by the foreign key; the list of personal data says so.',
  },
  topology: {
    tenant:
      'The directory names the cell of each data space. Topology reads it, switches it and removes it with the data space.',
    deplacement: 'Clients takes the requests for moves, and topology writes how far each has come.',
    cle: 'Keys are removed with their data space.',
  },
  essai: {
    reglage: 'The function that erases data of rehearsals reads the environment of the data space.',
  },
  personne: {
    idempotency_record: 'The platform knows no persons, so personne selects the rows that contain their ids.',
    journal: 'The platform knows no persons, so personne selects the entries about their ids.',
  },
};
