import { mergedId, type PersonalData } from '#membership/relations';

/** SQL condition: the recipient waits for an e-mail that goes to the other employee, too. */
const WAITS_TWICE = `(etat = 'EnAttente' AND EXISTS (
  SELECT FROM courriel_destinataire o WHERE o.tenant_id = :tenantId AND o.courriel_id = courriel_destinataire.courriel_id
    AND o.employe_id = :conserveId AND o.etat IN ('EnAttente', 'EnCours', 'Envoye')))`;

export const MESSAGING_PERSONAL_DATA: PersonalData = {
  rows: [
    {
      section: 'courriels',
      table: 'courriel_destinataire',
      where: '(employe_id = ANY (:employes::uuid[]) OR votant_id = ANY (:votants::uuid[]))',
      order: ['id_unique'],
      erased: { kept: 'ids only, which match no person and no address after the erasure' },
    },
  ],
  mergedIds: {
    'courriel_destinataire.employe_id': mergedId(
      'courriel_destinataire',
      'employe_id',
      `etat = CASE WHEN ${WAITS_TWICE} THEN 'Doublon' ELSE etat END`,
      `echeance = CASE WHEN NOT ${WAITS_TWICE} THEN echeance END`,
    ),
  },
  notPersonal: { courriel: 'texts that a partner sent to many; removed after 30 days' },
};
