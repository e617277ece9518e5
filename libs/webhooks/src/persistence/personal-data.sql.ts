import type { PersonalData } from '#membership/relations';

const HAS_ID = `(data->>'employeIdUnique' = ANY (:employes::text[])
  OR data->>'idUniqueAdhesion' = ANY (:adhesions::text[]) OR data->>'demandeId' = ANY (:demandes::text[]))`;

export const WEBHOOKS_PERSONAL_DATA: PersonalData = {
  rows: [
    { section: 'evenements', table: 'evenement', where: HAS_ID, erased: 'removed' },
    {
      section: 'evenements',
      table: 'evenement',
      where: `data->>'employeIdUnique' IS NULL AND data->>'employeIdExterne' = :idExterne AND ${HAS_ID} IS NOT TRUE`,
      named: 'date_creation',
      erased: 'removed',
    },
  ],
  notPersonal: {
    certification: 'tests of a receiver, whose events name no person',
    livraison: 'deleted with its event',
    webhook: 'endpoints of the partner',
  },
};
