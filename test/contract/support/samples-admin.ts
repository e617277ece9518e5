import type { Samples } from './sample';

const CLIENTS = '/admin/v1/clients';
const CAMPAGNE = `${CLIENTS}/:clientId/environnements/:environnement/campagnes/:id`;
const EMPLOYES = `${CLIENTS}/:clientId/environnements/:environnement/employes/:idExterne`;

/**
 * Audit trails and personal data. Administrators may use any client, but the identifiers in one path must belong
 * together.
 */
export const ADMIN_SAMPLES: Readonly<Record<string, Samples>> = {
  [`GET ${CLIENTS}/:clientId/journal`]: (asked, own) => [
    { path: `${CLIENTS}/${own.clientId}/journal?objetId=${asked.idUniqueEmploye}` },
  ],
  [`GET ${EMPLOYES}`]: (asked, own) => [
    { path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employe}` },
    { path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employeSupprime}` },
    {
      path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employeSupprime}?supprime=true`,
    },
  ],
  [`DELETE ${EMPLOYES}`]: (asked, own) => [
    { path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employe}` },
    { path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employeSupprime}` },
    {
      path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employeSupprime}?supprime=true`,
    },
  ],
  [`PUT ${CAMPAGNE}/seuil-anonymat`]: (asked, own) => [
    {
      path: `${CLIENTS}/${own.clientId}/environnements/staging/campagnes/${asked.campagne}/seuil-anonymat`,
      body: { seuilAnonymat: 2, raison: 'Essai' },
    },
  ],
  [`POST ${CAMPAGNE}/urne/constater`]: (asked, own) => [
    {
      path: `${CLIENTS}/${own.clientId}/environnements/staging/campagnes/${asked.campagne}/urne/constater`,
      body: { raison: 'Essai' },
    },
  ],
};
