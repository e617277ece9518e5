import { EXAMPLE_CLIENT_ID } from '../../libs/clients/src';
import { HELD } from '../adhesion/support/held';
import type { Calls } from '../contract/support/calls';

const CLIENTS = '/admin/v1/clients';
const PERSONNE = `/admin/v1/clients/${EXAMPLE_CLIENT_ID}/environnements/staging/employes`;

const EMPLOYE = '/b2b/v2/employe';

export const CALLS: Calls = {
  'POST /b2b/v2/employe/:idExterne/nouvel-identifiant': {
    foreign: (asked, own) => [
      { path: `${EMPLOYE}/${asked.employeV2}/nouvel-identifiant`, body: { idExterne: `N-${own.mark}` } },
      { path: `${EMPLOYE}/${own.employe}/nouvel-identifiant`, body: { idExterne: own.employeV2 } },
    ],
    more: {
      calls: [
        { path: `${EMPLOYE}/E-1001/nouvel-identifiant`, body: { idExterne: 'E-1002' } },
        { path: `${EMPLOYE}/${HELD.authorized.employe}/nouvel-identifiant` },
      ],
    },
  },
  'POST /b2b/v2/employe/:idExterne/fusion': {
    foreign: (asked, own) => [
      { path: `${EMPLOYE}/${asked.employeV2}/fusion`, body: { idExterneAbsorbe: own.employe } },
      { path: `${EMPLOYE}/${own.employe}/fusion`, body: { idExterneAbsorbe: asked.employeV2 } },
    ],
    more: {
      calls: [
        { path: `${EMPLOYE}/E-1008/fusion?simulation=true`, body: { idExterneAbsorbe: 'E-1008' } },
        {
          path: `${EMPLOYE}/E-1001/fusion?simulation=true`,
          body: { idExterneAbsorbe: 'E-1002', prefere: { courriel: 'absorbe' } },
        },
        { path: `${EMPLOYE}/E-1001/fusion`, body: { idExterneAbsorbe: HELD.authorized.employe } },
      ],
    },
  },
  'POST /b2b/v2/employe/nouveaux-identifiants': {
    foreign: (asked, own) => [
      {
        path: `${EMPLOYE}/nouveaux-identifiants?simulation=true`,
        body: [{ ancien: asked.employe, nouveau: `N-${own.mark}` }],
      },
      {
        path: `${EMPLOYE}/nouveaux-identifiants`,
        body: [
          { ancien: own.employe, nouveau: own.employeV2 },
          { ancien: own.employeV2, nouveau: own.employe },
          { ancien: asked.employe, nouveau: asked.employeV2 },
        ],
      },
    ],
    more: {
      calls: [
        { headers: { Prefer: 'respond-async' }, body: [] },
        { body: [{ ancien: 'INCONNU', nouveau: 'N-1' }] },
        { body: [{ ancien: 'E-1001', nouveau: 'E-1002' }] },
        { body: [{ ancien: HELD.authorized.employe, nouveau: 'N-1' }] },
      ],
    },
  },
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
