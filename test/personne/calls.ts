import { EXAMPLE_CLIENT_ID } from '../../libs/clients/src';
import { HELD } from '../adhesion/support/held';
import type { Calls } from '../contract/support/calls';

const CLIENTS = '/admin/v1/clients';
const PERSONNE = `/admin/v1/clients/${EXAMPLE_CLIENT_ID}/environnements/staging/employes`;

export const CALLS: Calls = {
  'GET /admin/v1/clients/:clientId/environnements/:environnement/employes/:idExterne': {
    foreign: (asked, own) => [
      { path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employe}` },
      { path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employeSupprime}` },
      {
        path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employeSupprime}?supprime=true`,
      },
    ],
  },
  'DELETE /admin/v1/clients/:clientId/environnements/:environnement/employes/:idExterne': {
    foreign: (asked, own) => [
      { path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employe}` },
      { path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employeSupprime}` },
      {
        path: `${CLIENTS}/${own.clientId}/environnements/staging/employes/${asked.employeSupprime}?supprime=true`,
      },
    ],
    more: {
      // A voter of an active campaign, and an employee named in a waiting sync.
      calls: Object.values(HELD).map(({ employe }) => ({ path: `${PERSONNE}/${employe}` })),
    },
  },
};
