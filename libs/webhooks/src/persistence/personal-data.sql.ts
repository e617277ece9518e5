import type { PersonalData } from '#membership/relations';

export const WEBHOOKS_PERSONAL_DATA: PersonalData = {
  rows: [
    {
      section: 'evenements',
      table: 'evenement',
      where: `(data->>'employeIdUnique' = ANY (:employes::text[])
        OR data->>'employeIdUnique' IS NULL AND data->>'employeIdExterne' = :idExterne
        OR data->>'idUniqueAdhesion' = ANY (:adhesions::text[]) OR data->>'demandeId' = ANY (:demandes::text[]))`,
      erased: 'removed',
    },
  ],
  notPersonal: { livraison: 'deleted with its event', webhook: 'endpoints of the partner' },
};
