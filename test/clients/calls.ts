import { EXAMPLE_CLIENT_ID } from '../../libs/clients/src';
import type { Calls } from '../contract/support/calls';
import { held } from '../voting/support/held';
import { ENDED_CLE, ERASED_PATH, LIMITED_CLE, MOVED_CLIENT } from './support/held';

const CLIENTS = '/admin/v1/clients';

export const CALLS: Calls = {
  'GET /admin/v1/cellules': {
    // Administrators may use any client, but the identifiers in one path must belong together.
    foreign: () => [{ path: '/admin/v1/cellules' }],
  },
  'GET /admin/v1/cles': {
    // The service has one administrator's key here.
    hasOnePage: true,
    foreign: () => [{ path: '/admin/v1/cles' }],
  },
  'DELETE /admin/v1/cles/:cleId': {
    foreign: (asked) => [{ path: `/admin/v1/cles/${asked.cleId}` }],
    // No other administrator's key works.
    more: { calls: [{ path: `/admin/v1/cles/${LIMITED_CLE}` }] },
  },
  'GET /admin/v1/clients': {
    showsAllTenants: true,
    foreign: () => [{ path: CLIENTS }, { path: `${CLIENTS}?limite=1` }],
  },
  'POST /admin/v1/clients': {
    foreign: (_asked, own) => [{ path: CLIENTS, body: { nom: `Nouveau ${own.mark}`, modules: [] } }],
    // The client name that the example of POST has already used.
    more: { changes: [{ cellule: 'inconnue' }] },
  },
  'GET /admin/v1/clients/:clientId': {
    foreign: (_asked, own) => [{ path: `${CLIENTS}/${own.clientId}` }],
    more: { path: ERASED_PATH },
  },
  'PUT /admin/v1/clients/:clientId': {
    foreign: (_asked, own) => [
      { path: `${CLIENTS}/${own.clientId}`, body: { drapeaux: { seuilAnonymat: 3 } } },
    ],
    more: {
      changes: [{ nom: 'Syndicat des métallos du Québec' }],
      calls: [{ path: ERASED_PATH }],
    },
  },
  'POST /admin/v1/clients/:clientId/suspendre': {
    foreign: (_asked, own) => [{ path: `${CLIENTS}/${own.clientId}/suspendre`, body: { raison: 'Essai' } }],
    more: { calls: [{ path: `${ERASED_PATH}/suspendre` }] },
  },
  'DELETE /admin/v1/clients/:clientId': {
    foreign: (_asked, own) => [{ path: `${CLIENTS}/${own.clientId}` }],
    // The client of the demonstration has an open vote.
    more: {
      calls: [EXAMPLE_CLIENT_ID, MOVED_CLIENT].map((id) => ({ path: `/admin/v1/clients/${id}` })),
    },
  },
  'POST /admin/v1/clients/:clientId/reprendre': {
    foreign: (_asked, own) => [{ path: `${CLIENTS}/${own.clientId}/reprendre` }],
    more: { calls: [{ path: `${ERASED_PATH}/reprendre` }] },
  },
  'GET /admin/v1/clients/:clientId/cles': {
    foreign: (_asked, own) => [{ path: `${CLIENTS}/${own.clientId}/cles` }],
  },
  'POST /admin/v1/clients/:clientId/cles': {
    foreign: (_asked, own) => [
      {
        path: `${CLIENTS}/${own.clientId}/cles`,
        body: { nom: 'Neuve', environnement: 'staging', role: 'partenaire' },
      },
    ],
    more: {
      changes: [{ modules: null, expireLe: null }],
      calls: [{ path: `${ERASED_PATH}/cles` }],
    },
  },
  'GET /admin/v1/clients/:clientId/cles/:cleId': {
    foreign: (asked, own) => [{ path: `${CLIENTS}/${own.clientId}/cles/${asked.cleId}` }],
  },
  'POST /admin/v1/clients/:clientId/cles/:cleId/rotation': {
    foreign: (asked, own) => [
      { path: `${CLIENTS}/${own.clientId}/cles/${asked.cleId}/rotation`, body: { graceHeures: 24 } },
    ],
    more: {
      calls: [{ path: `/admin/v1/clients/${EXAMPLE_CLIENT_ID}/cles/${ENDED_CLE}/rotation` }],
    },
  },
  'DELETE /admin/v1/clients/:clientId/cles/:cleId': {
    foreign: (asked, own) => [{ path: `${CLIENTS}/${own.clientId}/cles/${asked.cleId}` }],
  },
  'POST /admin/v1/clients/:clientId/environnements/:environnement/deplacer': {
    // One move at a time.
    isUnrecorded: true,
    foreign: (_asked, own) => [
      {
        path: `${CLIENTS}/${own.clientId}/environnements/staging/deplacer`,
        body: { cellule: 'principal' },
      },
    ],
    // The vote of the demonstration is open in staging.
    more: {
      calls: [`/admin/v1/clients/${EXAMPLE_CLIENT_ID}`, ERASED_PATH].map((client) => ({
        path: `${client}/environnements/staging/deplacer`,
      })),
      changes: [{ cellule: 'inconnue' }, { cellule: 'principal' }],
    },
  },
  'GET /admin/v1/clients/:clientId/environnements/:environnement/deplacement': {
    foreign: (_asked, own) => [{ path: `${CLIENTS}/${own.clientId}/environnements/staging/deplacement` }],
    more: {
      calls: [
        { path: `/admin/v1/clients/${EXAMPLE_CLIENT_ID}/environnements/staging/deplacement` },
        { path: `/admin/v1/clients/${MOVED_CLIENT}/environnements/production/deplacement` },
      ],
    },
  },
  'GET /admin/v1/clients/:clientId/journal': {
    foreign: (asked, own) => [
      { path: `${CLIENTS}/${own.clientId}/journal?objetId=${asked.idUniqueEmploye}` },
    ],
    more: {
      get calls() {
        return [{ path: `/admin/v1/clients/${EXAMPLE_CLIENT_ID}/journal?objetId=${held.many}` }];
      },
    },
  },
  'GET /b2b/v1/moi': { readsNoTable: true },
};
