import type { Identifiers } from './spaces';

/** One request to a route. */
export interface Sample {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Requests that name what another data space has, in each place where a route takes an identifier; and one on what the
 * caller has itself, which must reach nothing else.
 *
 * @param asked names what the request is about
 * @param own names what the caller has itself
 */
type Samples = (asked: Identifiers, own: Identifiers) => Sample[];

const EMPLOYE = '/b2b/v1/employe';
const EMPLOYEUR = '/b2b/v1/employeur';
const CLIENTS = '/admin/v1/clients';
const PERSON = { prenom: 'Alex', nom: 'Tremblay' };

/** By route; every route whose path, query or body takes an identifier is here. */
export const SAMPLES: Readonly<Record<string, Samples>> = {
  'POST /b2b/v1/employe/sync': (asked, own) => [
    { path: `${EMPLOYE}/sync`, body: { employes: [{ idExterne: asked.employe, ...PERSON }] } },
    { path: `${EMPLOYE}/sync`, body: { employeurs: [{ idExterne: asked.employeur, nom: 'Usine' }] } },
    {
      path: `${EMPLOYE}/sync`,
      body: { objetsConsentement: [{ idExterne: asked.objetConsentement, nom: 'Infolettre' }] },
    },
    {
      path: `${EMPLOYE}/sync`,
      body: {
        employes: [{ idExterne: own.employe, ...PERSON, identifiantExterneEmployeur: asked.employeur }],
      },
    },
    {
      path: `${EMPLOYE}/sync?simulation=true`,
      body: { employes: [{ idExterne: `N-${own.mark}`, ...PERSON, idUnique: asked.idUniqueEmploye }] },
    },
  ],
  'GET /b2b/v1/employe': (asked) => [
    { path: EMPLOYE },
    { path: `${EMPLOYE}?curseur=${asked.curseurEmployes}` },
    { path: `${EMPLOYE}?limite=1&curseur=${asked.curseurEmployes}` },
  ],
  'GET /b2b/v1/employe/:idExterne': (asked) => [
    { path: `${EMPLOYE}/${asked.employe}` },
    { path: `${EMPLOYE}/${asked.idUniqueEmploye}` },
    { path: `${EMPLOYE}/${asked.employe}`, headers: { 'If-None-Match': asked.etagEmploye } },
  ],
  'POST /b2b/v1/employe': (asked, own) => [
    { path: EMPLOYE, body: asked.idempotentBody },
    { path: EMPLOYE, body: { idExterne: asked.employe, ...PERSON, idUnique: asked.idUniqueEmploye } },
    {
      path: EMPLOYE,
      body: { idExterne: `N-${own.mark}`, ...PERSON, identifiantExterneEmployeur: asked.employeur },
    },
  ],
  'PUT /b2b/v1/employe': (asked, own) => [
    { path: EMPLOYE, body: { idExterne: asked.employe, ...PERSON } },
    {
      path: EMPLOYE,
      body: { idExterne: asked.employe, ...PERSON },
      headers: { 'If-Match': asked.etagEmploye },
    },
    { path: EMPLOYE, body: { idExterne: own.employe, ...PERSON, idUnique: asked.idUniqueEmploye } },
    {
      path: EMPLOYE,
      body: { idExterne: own.employe, ...PERSON, identifiantExterneEmployeur: asked.employeur },
    },
  ],
  'DELETE /b2b/v1/employe/:idExterne': (asked, own) => [
    { path: `${EMPLOYE}/${own.employe}` },
    { path: `${EMPLOYE}/${asked.employe}` },
    { path: `${EMPLOYE}/${asked.employe}`, headers: { 'If-Match': asked.etagEmploye } },
  ],
  'GET /b2b/v1/employeur': (asked) => [
    { path: EMPLOYEUR },
    { path: `${EMPLOYEUR}?curseur=${asked.curseurEmployeurs}` },
    { path: `${EMPLOYEUR}?limite=1&curseur=${asked.curseurEmployeurs}` },
  ],
  'GET /b2b/v1/employeur/:idExterne': (asked) => [
    { path: `${EMPLOYEUR}/${asked.employeur}` },
    { path: `${EMPLOYEUR}/${asked.employeur}`, headers: { 'If-None-Match': asked.etagEmployeur } },
  ],
  'POST /b2b/v1/employeur': (asked) => [
    {
      path: EMPLOYEUR,
      body: { idExterne: asked.employeur, nom: 'Usine', idUnique: asked.idUniqueEmployeur },
    },
  ],
  'PUT /b2b/v1/employeur': (asked, own) => [
    { path: EMPLOYEUR, body: { idExterne: asked.employeur, nom: 'Usine' } },
    { path: EMPLOYEUR, body: { idExterne: own.employeur, nom: 'Usine', idUnique: asked.idUniqueEmployeur } },
  ],
  'DELETE /b2b/v1/employeur/:idExterne': (asked, own) => [
    { path: `${EMPLOYEUR}/${own.freeEmployeur}` },
    // Without employees nothing but its tenant protects it.
    { path: `${EMPLOYEUR}/${asked.freeEmployeur}` },
    { path: `${EMPLOYEUR}/${asked.employeur}`, headers: { 'If-Match': asked.etagEmployeur } },
  ],

  // Administrators may name any client; what one path names together must belong together.
  'GET /admin/v1/clients': () => [{ path: CLIENTS }, { path: `${CLIENTS}?limite=1` }],
  'POST /admin/v1/clients': (_asked, own) => [
    { path: CLIENTS, body: { nom: `Nouveau ${own.mark}`, modules: [] } },
  ],
  'GET /admin/v1/clients/:clientId': (_asked, own) => [{ path: `${CLIENTS}/${own.clientId}` }],
  'PUT /admin/v1/clients/:clientId': (_asked, own) => [
    { path: `${CLIENTS}/${own.clientId}`, body: { drapeaux: { seuilAnonymat: 3 } } },
  ],
  'GET /admin/v1/clients/:clientId/cles': (_asked, own) => [{ path: `${CLIENTS}/${own.clientId}/cles` }],
  'POST /admin/v1/clients/:clientId/cles': (_asked, own) => [
    {
      path: `${CLIENTS}/${own.clientId}/cles`,
      body: { nom: 'Neuve', environnement: 'staging', role: 'partenaire' },
    },
  ],
  'GET /admin/v1/clients/:clientId/cles/:cleId': (asked, own) => [
    { path: `${CLIENTS}/${own.clientId}/cles/${asked.cleId}` },
  ],
  'DELETE /admin/v1/clients/:clientId/cles/:cleId': (asked, own) => [
    { path: `${CLIENTS}/${own.clientId}/cles/${asked.cleId}` },
  ],
};
