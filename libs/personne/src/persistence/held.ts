/** Identifiers of a person, as parameters (`:name`) of the conditions below. */
export interface Person {
  readonly tenantId: string;
  readonly idExterne: string;
  /** The service's id of the employee. */
  readonly idUnique: string;
  /** Ids of signed cards. */
  readonly adhesions: readonly string[];
  /** Ids of membership requests. */
  readonly demandes: readonly string[];
  /** The identifier as a path has it. */
  readonly idUrl: string;
  /** Ids of voters, in any campaign. */
  readonly votants: readonly string[];
  /** All of the service's ids above. */
  readonly ids: readonly string[];
}

/** Rows of one table that are about a person. */
interface Held {
  /** Its name in the export. */
  readonly section: string;
  readonly table: string;
  /** Which rows: SQL on the table's columns and the person. */
  readonly where: string;
  /** Columns of another form in the export than as they are stored. */
  readonly shown?: Readonly<Record<string, string>>;
  /**
   * What an erasure does to them: removes them; removes them with the row that they belong to; writes other values in
   * their place; or leaves them, since they do not say who it was.
   */
  readonly erased:
    'removed' | { readonly with: string } | { readonly set: string } | { readonly kept: string };
}

/** Placeholder for an erased name. */
export const ERASED_NAME = '(effacé)';

/** What a task of a sync said about employees; identifiers are as sent, and were trimmed. */
const ERREURS = `jsonb_array_elements(CASE jsonb_typeof(resultat::jsonb#>'{Employes,Erreurs}')
  WHEN 'array' THEN resultat::jsonb#>'{Employes,Erreurs}' ELSE '[]' END) e`;
const IS_PERSON = `btrim(e->>'IdUnique', E' \\t\\r\\n') = :idExterne::text`;

const PNG = `'data:image/png;base64,' || replace(encode(png, 'base64'), E'\\n', '')`;

/**
 * Every place that holds something about a person, in the order in which an erasure goes through them. A table that is in
 * none of these lists fails a test: whoever adds one decides here what becomes of it.
 */
export const HELD: readonly Held[] = [
  {
    section: 'evenements',
    table: 'evenement',
    where: `(data->>'employeIdUnique' = :idUnique::text OR data->>'employeIdExterne' = :idExterne
      OR data->>'idUniqueAdhesion' = ANY (:adhesions::text[]) OR data->>'demandeId' = ANY (:demandes::text[]))`,
    erased: 'removed',
  },
  {
    section: 'paiements',
    table: 'paiement',
    where: 'adhesion_id = ANY (:adhesions::uuid[])',
    erased: 'removed',
  },
  {
    section: 'autorisationsPaiement',
    table: 'autorisation_paiement',
    where: 'adhesion_id = ANY (:adhesions::uuid[])',
    erased: 'removed',
  },
  {
    section: 'signatures',
    table: 'signature_manuscrite',
    where: '(adhesion_id = ANY (:adhesions::uuid[]) OR demande_id = ANY (:demandes::uuid[]))',
    shown: { png: PNG },
    erased: { with: 'adhesion' },
  },
  {
    section: 'consentementsDemandes',
    table: 'consentement_demande',
    where: 'demande_id = ANY (:demandes::uuid[])',
    erased: { with: 'demande_adhesion' },
  },
  {
    section: 'demandesAdhesion',
    table: 'demande_adhesion',
    // Held by then, unless somebody has made another's of it.
    where: `id_unique = ANY (:demandes::uuid[]) AND (id_externe_employe IS NULL OR id_externe_employe = :idExterne)`,
    erased: 'removed',
  },
  {
    // Recorded responses are encrypted, but a repeated request would still return them.
    section: 'reponsesEnregistrees',
    table: 'idempotency_record',
    where: `(position(:idExterne IN idempotency_key) > 0 OR position(:idUrl IN idempotency_key) > 0 OR position('/' || :idUrl || '"' IN headers::text) > 0
      OR EXISTS (SELECT FROM unnest(:ids::text[]) known WHERE position(known IN headers::text) > 0))`,
    shown: { fingerprint: 'NULL', sealed_body: 'NULL' },
    erased: 'removed',
  },
  {
    section: 'adhesions',
    table: 'adhesion',
    where: 'id_unique = ANY (:adhesions::uuid[])',
    erased: 'removed',
  },
  {
    // The voter stays without any identifying data, because roll, participation and counts must not change.
    section: 'votants',
    table: 'votant',
    where: 'id_unique = ANY (:votants::uuid[])',
    erased: {
      set: `prenom = '${ERASED_NAME}', nom = '${ERASED_NAME}', identifiant = NULL, courriel = NULL, employe_id_externe = NULL`,
    },
  },
  {
    section: 'listesElectorales',
    table: 'liste_electorale',
    where: 'employes @> ARRAY[:idExterne::text]',
    shown: { employes: 'ARRAY[:idExterne::text]' },
    erased: { set: 'employes = array_remove(employes, :idExterne::text)' },
  },
  {
    // Of a sync that has ended, what it said about the employee.
    section: 'taches',
    table: 'tache',
    where: `EXISTS (SELECT FROM ${ERREURS} WHERE ${IS_PERSON})`,
    shown: { resultat: 'NULL', corps: 'NULL' },
    erased: {
      set: `resultat = jsonb_set(resultat::jsonb, '{Employes,Erreurs}', (SELECT jsonb_agg(
        CASE WHEN ${IS_PERSON} THEN jsonb_set(e, '{IdUnique}', '"${ERASED_NAME}"') ELSE e END) FROM ${ERREURS}))::json`,
    },
  },
  {
    section: 'valeursChampUtilisateur',
    table: 'valeur_champ_employe',
    where: 'id_externe_employe = :idExterne',
    erased: { with: 'employe' },
  },
  {
    section: 'emplois',
    table: 'emploi',
    where: 'id_externe_employe = :idExterne',
    erased: { with: 'employe' },
  },
  {
    section: 'appartenances',
    table: 'membership',
    where: 'id_externe_employe = :idExterne',
    erased: { with: 'employe' },
  },
  {
    section: 'consentements',
    table: 'consentement',
    where: 'id_externe_employe = :idExterne',
    erased: { with: 'employe' },
  },
  { section: 'employe', table: 'employe', where: 'id_externe = :idExterne', erased: 'removed' },
  {
    section: 'courriels',
    table: 'courriel_destinataire',
    where: '(employe_id = :idUnique::uuid OR votant_id = ANY (:votants::uuid[]))',
    erased: { kept: 'ids alone, which then lead to nobody and to no address' },
  },
  {
    section: 'journal',
    table: 'journal',
    where: 'objet_id = ANY (:ids::uuid[])',
    shown: { empreinte: `encode(empreinte, 'hex')` },
    erased: { kept: 'entries have ids alone, which then lead to nobody; without them the chain would break' },
  },
];

/** Tables of data spaces that say nothing about a person, and why. */
export const NOT_PERSONAL: Readonly<Record<string, string>> = {
  bulletin: 'ballots are joined to nobody',
  campagne: 'what is voted on',
  courriel: 'what a partner wrote to many; removed after 30 days',
  champ_utilisateur: 'definitions of fields',
  choix_champ: 'choices of fields',
  depouillement: 'counts',
  employeur: 'organisations',
  formulaire: 'forms',
  formulaire_champ: 'forms',
  formulaire_objet: 'forms',
  journal_tete: 'the end of the chain',
  livraison: 'goes with its event',
  numero_membre: 'a counter',
  objet_consentement: 'what may be consented to',
  option: 'what may be voted for: the candidates of a vote are part of its result',
  participation: 'counts',
  point_seance: 'agendas and totals of votes',
  question: 'what is asked',
  recu: 'digests of receipts',
  reglage: 'settings',
  seance: 'meetings, with counts of persons',
  syndicat: 'organisations',
  syndicat_employeur: 'organisations',
  urne: 'seeds of draws',
  urne_option: 'what may be voted for, as it was published',
  urne_question: 'what is asked, as it was published',
  webhook: 'endpoints of the partner',
};
