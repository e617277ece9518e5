import {
  EMPLOYES,
  ERASED_NAME,
  HAS_NAMES,
  IDENTITY,
  IS_IDENTITY,
  OLDEST_FIRST,
  type PersonalData,
  renamedKey,
  RENOMMAGES,
} from '#membership/relations';

const OF_EMPLOYE = 'tenant_id = :tenantId AND employe_id_externe = :employe';
const OF_NOBODY = 'tenant_id = :tenantId AND employe_id_externe IS NULL';
const NOTED = `${OF_NOBODY} AND id_unique = ANY (:votants::uuid[])`;

export const VOTING_PERSONAL_DATA: PersonalData = {
  rows: [
    {
      // The voter stays without any identifying data, because roll, participation and counts must not change.
      section: 'votants',
      table: 'votant',
      // Another employee may have been given the voter just before.
      where:
        'id_unique = ANY (:votants::uuid[]) AND (employe_id_externe IS NULL OR employe_id_externe = :employe)',
      order: [...OLDEST_FIRST, 'campagne_id'],
      erased: {
        set: `prenom = '${ERASED_NAME}', nom = '${ERASED_NAME}', identifiant = NULL, courriel = NULL, employe_id_externe = NULL,
          adhesion_debut = NULL, emploi_debut = NULL`,
      },
    },
    {
      // A voter that a request deleted.
      section: 'votantsEcartes',
      table: 'votant_ecarte',
      where: OF_EMPLOYE,
      order: ['campagne_id', 'employe_id_externe'],
      erased: { with: 'employe' },
    },
    {
      section: 'listesElectorales',
      table: 'liste_electorale',
      where: 'employes @> ARRAY[:idExterne::text]',
      shown: { employes: 'ARRAY[:idExterne::text]' },
      erased: { set: 'employes = array_remove(employes, :idExterne::text)' },
    },
  ],
  identifiers: {
    // A place on the roll says more than its exclusion.
    ...renamedKey(
      'votant_ecarte',
      'employe_id_externe',
      `DELETE FROM votant_ecarte e WHERE e.tenant_id = :tenantId AND e.employe_id_externe IN (:conserve, :absorbe) AND (
         EXISTS (SELECT FROM votant v WHERE v.tenant_id = :tenantId AND v.campagne_id = e.campagne_id
           AND v.employe_id_externe IN (:conserve, :absorbe))
         OR e.employe_id_externe = :absorbe AND EXISTS (SELECT FROM votant_ecarte o WHERE o.tenant_id = :tenantId
           AND o.campagne_id = e.campagne_id AND o.employe_id_externe = :conserve))`,
    ),
    'liste_electorale.employes': {
      joined: `UPDATE liste_electorale SET employes = array_remove(employes, :absorbe::text)
        WHERE tenant_id = :tenantId AND employes @> ARRAY[:absorbe::text, :conserve::text]`,
      set: `UPDATE liste_electorale l SET employes = ARRAY(
          SELECT coalesce(r.nouveau, e.id) FROM unnest(l.employes) WITH ORDINALITY e (id, n)
          LEFT JOIN ${RENOMMAGES} r ON r.ancien = e.id ORDER BY e.n)
        WHERE l.tenant_id = :tenantId AND EXISTS (
          SELECT FROM unnest(l.employes) e (id) JOIN ${RENOMMAGES} r ON r.ancien = e.id)`,
    },
    // Last, because a voter who votes meanwhile waits for the commit.
    ...renamedKey('votant', 'employe_id_externe', { by: 'PlacesService' }),
  },
  identities: [OF_EMPLOYE, `${NOTED} AND nom <> '${ERASED_NAME}'`].map(
    (condition) => `SELECT ${IDENTITY} FROM votant WHERE ${condition}`,
  ),
  ids: {
    // Voters of the employee, those noted when it was deleted, and voters without an employee who have the person's names
    // and address, or the names and the identifier or member number.
    votants: () =>
      [
        OF_EMPLOYE,
        NOTED,
        `${OF_NOBODY} AND ${IS_IDENTITY}`,
        `${OF_NOBODY} AND ${HAS_NAMES} AND identifiant IN (
           SELECT :idExterne::text UNION ALL SELECT unnest(:anciensIdentifiants::text[]) UNION ALL
           SELECT no_membre FROM ${EMPLOYES} e WHERE e.tenant_id = :tenantId AND e.id_externe = :employe)`,
      ]
        .map((condition) => `SELECT id_unique AS id FROM votant WHERE ${condition}`)
        .join(' UNION '),
  },
  notPersonal: {
    bulletin:
      'ballots do not reference voters; encrypted ones have a digest of the campaign and the voter, for their proofs',
    campagne: 'what is voted on',
    chiffrement: 'guardians of a vote, whose names are published with its result, like those of candidates',
    chiffrement_fichier: 'signed files of these guardians',
    chiffrement_somme: 'encrypted counts',
    depouillement: 'counts',
    dossier: 'digests of the bundle of a count',
    dossier_fichier: 'names of the files of a bundle',
    dossier_morceau: 'counts, digests of receipts, and salted digests of the roll',
    engagement: 'signed sizes of the log of receipts',
    option: 'options of a vote: its candidates are part of the result',
    participation: 'counts',
    question: 'questions of a vote',
    recu: 'digests of receipts',
    recu_noeud: 'hashes of the log of receipts',
    urne: 'seeds of draws',
    urne_option: 'options as they were published',
    urne_question: 'questions as they were published',
  },
};
