import {
  EMPLOYES,
  ERASED_NAME,
  IDENTITY,
  IS_IDENTITY,
  NAMES,
  type PersonalData,
} from '#membership/relations';

const EMPLOYE = `FROM ${EMPLOYES} e WHERE tenant_id = :tenantId AND id_externe = :idExterne`;

export const VOTING_PERSONAL_DATA: PersonalData = {
  rows: [
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
  ],
  identities: [
    `SELECT ${IDENTITY} FROM votant WHERE tenant_id = :tenantId AND employe_id_externe = :idExterne`,
  ],
  ids: {
    // Voters of the employee, and voters without an employee who have the person's names and address, or the names and
    // the identifier or member number.
    votants: `SELECT id_unique AS id FROM votant WHERE tenant_id = :tenantId AND employe_id_externe = :idExterne
      UNION ALL
      SELECT id_unique FROM votant WHERE tenant_id = :tenantId AND employe_id_externe IS NULL AND (${IS_IDENTITY}
        OR identifiant IN (SELECT id_externe ${EMPLOYE} UNION SELECT no_membre ${EMPLOYE})
          AND (${NAMES}) IN (SELECT ${NAMES} ${EMPLOYE}))`,
  },
  notPersonal: {
    bulletin: 'ballots do not reference voters',
    campagne: 'what is voted on',
    depouillement: 'counts',
    option: 'options of a vote: its candidates are part of the result',
    participation: 'counts',
    question: 'questions of a vote',
    recu: 'digests of receipts',
    urne: 'seeds of draws',
    urne_option: 'options as they were published',
    urne_question: 'questions as they were published',
  },
};
