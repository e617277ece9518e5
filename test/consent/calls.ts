import { type Calls, each, ifMatch, ifNoneMatch, pages } from '../contract/support/calls';

const OBJET = '/b2b/v2/objet-consentement';
const CONSENTEMENT = '/b2b/v1/consentement';
const CONSENTEMENTS = '/plateforme/v1/consentements';

export const CALLS: Calls = {
  'GET /b2b/v2/objet-consentement': {
    foreign: (asked) => pages(OBJET, asked.curseurObjets),
  },
  'GET /b2b/v2/objet-consentement/:idExterne': {
    foreign: (asked, own) => [
      ...each(`${OBJET}/`, own.objetConsentement, asked.objetConsentement, asked.idUniqueObjet),
      ifNoneMatch(`${OBJET}/${asked.objetConsentement}`, asked.etagObjet),
    ],
  },
  'POST /b2b/v2/objet-consentement': {
    foreign: (asked) => [
      {
        path: OBJET,
        body: { idExterne: asked.objetConsentement, nom: 'Infos', idUnique: asked.idUniqueObjet },
      },
    ],
  },
  'PUT /b2b/v2/objet-consentement': {
    foreign: (asked, own) => [
      { path: OBJET, body: { idExterne: asked.objetConsentement, nom: 'Infos' } },
      ifMatch(OBJET, asked.etagObjet, { idExterne: asked.objetConsentement, nom: 'Infos' }),
      {
        path: OBJET,
        body: { idExterne: own.objetConsentement, nom: 'Infos', idUnique: asked.idUniqueObjet },
      },
    ],
  },
  'PUT /b2b/v2/objet-consentement/:idExterne': {
    foreign: (asked, own) => [
      { path: `${OBJET}/${asked.objetConsentement}`, body: { nom: 'Infos' } },
      ifMatch(`${OBJET}/${asked.objetConsentement}`, asked.etagObjet, { nom: 'Infos' }),
      { path: `${OBJET}/${asked.idUniqueObjet}`, body: { nom: 'Infos' } },
      {
        path: `${OBJET}/${own.objetConsentement}`,
        body: { idExterne: asked.objetConsentement, nom: 'Infos' },
      },
    ],
  },
  'DELETE /b2b/v2/objet-consentement/:idExterne': {
    foreign: (asked, own) => [
      ...each(`${OBJET}/`, own.objetConsentement, asked.objetConsentement, asked.usedObjet),
      ifMatch(`${OBJET}/${asked.objetConsentement}`, asked.etagObjet),
      { path: `${OBJET}/${asked.idUniqueObjet}` },
    ],
    // Employees answered this consent object.
    more: { path: '/b2b/v2/objet-consentement/INFOLETTRE' },
  },
  'GET /b2b/v1/consentement': {
    foreign: (asked) => pages(CONSENTEMENT, asked.curseurConsentements),
  },
  'GET /b2b/v1/consentement/:idExterne': {
    hasOnePage: true,
    foreign: (asked, own) =>
      each(
        `${CONSENTEMENT}/`,
        own.employe,
        asked.employe,
        asked.employeV2,
        asked.idUniqueEmploye,
        `${asked.employe}?curseur=${own.curseurConsentements}`,
        `${own.employe}?curseur=${asked.curseurConsentements}`,
      ),
  },
  'POST /plateforme/v1/consentements': {
    foreign: (asked, own) =>
      [
        [own.employe, own.usedObjet],
        [asked.employe, own.usedObjet],
        [own.employe, asked.usedObjet],
        [asked.employe, asked.objetConsentement],
        [asked.idUniqueEmploye, own.usedObjet],
      ].map(([idExterneEmploye, objetConsentementIdExterne]) => ({
        path: CONSENTEMENTS,
        body: { idExterneEmploye, objetConsentementIdExterne, accepte: true },
      })),
  },
};
