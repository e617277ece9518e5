import { mergedId, type PersonalData } from '#membership/relations';

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
  mergedIds: { 'courriel_destinataire.employe_id': mergedId('courriel_destinataire', 'employe_id') },
  notPersonal: { courriel: 'texts that a partner sent to many; removed after 30 days' },
};
