import { bodies, each, ifMatch, ifNoneMatch, pages, type Samples } from './sample';
import { ADMIN_SAMPLES } from './samples-admin';
import { MEETING_SAMPLES } from './samples-meetings';
import { MESSAGING_SAMPLES } from './samples-messaging';
import { SIGNING_SAMPLES } from './samples-signing';
import { VOTING_SAMPLES } from './samples-voting';
import { WEBHOOK_SAMPLES } from './samples-webhooks';
import type { Identifiers } from './spaces';

const EMPLOYE = '/b2b/v1/employe';
const EMPLOYEUR = '/b2b/v1/employeur';
const SYNC_V2 = '/b2b/v2/sync';
const UPSERT = '/b2b/v2/employe/upsert';
const EMPLOYE_V2 = '/b2b/v2/employe';
const CHANGEMENT = '/b2b/v2/changement';
const EMPLOI = '/b2b/v2/emploi';
const SYNDICAT = '/b2b/v2/syndicat';
const CHAMP = '/b2b/v2/champ-utilisateur';
const OBJET = '/b2b/v2/objet-consentement';
const CLIENTS = '/admin/v1/clients';
const PERSON = { prenom: 'Alex', nom: 'Tremblay' };
const PERSON_V2 = { Prenom: 'Alex', Nom: 'Tremblay' };
const DATE = '2024-01-01';

/** An employment with an employee number of `asked`. */
function emploi(asked: Identifiers, IdentifiantExterne: string, IdentifiantExterneEmployeur: string): object {
  return { IdentifiantExterne, IdentifiantExterneEmployeur, Matricule: asked.matricule };
}

/** V2 employees with identifiers of `asked`: their own, and those in each nested record. */
function employesV2(asked: Identifiers, own: Identifiers): object[][] {
  const foreign = { IdExterne: asked.employeV2, ...PERSON_V2 };
  const mine = { IdExterne: own.employeV2, ...PERSON_V2 };
  const membership = (SyndicatIdExterne: string) => [{ SyndicatIdExterne, DateAdhesion: DATE }];
  const value = (NomChamp: string, Valeur: string | null) => [{ NomChamp, Valeur }];
  return [
    { ...foreign, idUnique: asked.idUniqueEmployeV2 },
    { ...foreign, Emplois: [emploi(asked, own.emploi, own.employeur)] },
    { ...foreign, Emplois: [emploi(asked, asked.emploi, asked.employeur)] },
    // The V1 employer of another tenant's employee gives no employment here.
    { ...foreign, IdExterne: asked.employe, Emplois: [emploi(asked, asked.emploi, own.employeur)] },
    { ...mine, Emplois: [emploi(asked, asked.emploi, own.employeur)] },
    { ...mine, Emplois: [emploi(asked, own.emploi, asked.employeur)] },
    { ...foreign, Adhesions: membership(own.syndicat) },
    { ...mine, Adhesions: membership(asked.syndicat) },
    { ...foreign, ValeursChampUtilisateur: value(own.freeChamp, 'Casque') },
    { ...foreign, ValeursChampUtilisateur: value(own.champ, null) },
    { ...mine, ValeursChampUtilisateur: value(asked.champ, asked.choix) },
    { ...mine, ValeursChampUtilisateur: value(own.champ, asked.choix) },
  ].map((employe) => [employe]);
}

/** A custom field with these choices. */
function choices(nom: string, ...ids: string[]): object {
  return { nom, type: 'choix', choix: ids.map((idExterne) => ({ idExterne, libelle: 'Rouge' })) };
}

/** Requests by route, for every route whose path, query or body takes an identifier. */
export const SAMPLES: Readonly<Record<string, Samples>> = {
  // Pages and documents are the same for all callers: their paths contain no identifier.
  'GET /docs/*path': () => [{ path: '/docs/erreurs' }],
  'POST /b2b/v1/employe/sync': (asked, own) => [
    ...bodies(
      `${EMPLOYE}/sync`,
      { employes: [{ idExterne: asked.employe, ...PERSON }] },
      { employeurs: [{ idExterne: asked.employeur, nom: 'Usine' }] },
      { objetsConsentement: [{ idExterne: asked.objetConsentement, nom: 'Infolettre' }] },
      {
        employes: [{ idExterne: own.employe, ...PERSON, identifiantExterneEmployeur: asked.employeur }],
      },
      // V1 changes the employer of employees whose employments V2 stores.
      {
        employes: [
          { idExterne: own.employeV2, ...PERSON, identifiantExterneEmployeur: asked.employeur },
          { idExterne: asked.employeV2, ...PERSON, identifiantExterneEmployeur: own.freeEmployeur },
        ],
      },
    ),
    {
      path: `${EMPLOYE}/sync?simulation=true`,
      body: { employes: [{ idExterne: `N-${own.mark}`, ...PERSON, idUnique: asked.idUniqueEmploye }] },
    },
  ],
  'GET /b2b/v1/employe': (asked) => pages(EMPLOYE, asked.curseurEmployes),
  'GET /b2b/v1/employe/:idExterne': (asked) => [
    ...each(`${EMPLOYE}/`, asked.employe, asked.idUniqueEmploye),
    ifNoneMatch(`${EMPLOYE}/${asked.employe}`, asked.etagEmploye),
  ],
  'POST /b2b/v1/employe': (asked, own) =>
    bodies(
      EMPLOYE,
      asked.idempotentBody,
      { idExterne: asked.employe, ...PERSON, idUnique: asked.idUniqueEmploye },
      { idExterne: `N-${own.mark}`, ...PERSON, identifiantExterneEmployeur: asked.employeur },
    ),
  'PUT /b2b/v1/employe': (asked, own) => [
    { path: EMPLOYE, body: { idExterne: asked.employe, ...PERSON } },
    ifMatch(EMPLOYE, asked.etagEmploye, { idExterne: asked.employe, ...PERSON }),
    ...bodies(
      EMPLOYE,
      { idExterne: own.employe, ...PERSON, idUnique: asked.idUniqueEmploye },
      { idExterne: own.employe, ...PERSON, identifiantExterneEmployeur: asked.employeur },
      { idExterne: own.employeV2, ...PERSON, identifiantExterneEmployeur: asked.employeur },
    ),
  ],
  'DELETE /b2b/v1/employe/:idExterne': (asked, own) => [
    ...each(`${EMPLOYE}/`, own.employe, asked.employe),
    // Cards of another tenant's employee must not show.
    { path: `${EMPLOYE}/${asked.employePaye}` },
    ifMatch(`${EMPLOYE}/${asked.employe}`, asked.etagEmploye),
  ],
  'GET /b2b/v1/employeur': (asked) => pages(EMPLOYEUR, asked.curseurEmployeurs),
  'GET /b2b/v1/employeur/:idExterne': (asked) => [
    { path: `${EMPLOYEUR}/${asked.employeur}` },
    ifNoneMatch(`${EMPLOYEUR}/${asked.employeur}`, asked.etagEmployeur),
  ],
  'POST /b2b/v1/employeur': (asked) => [
    {
      path: EMPLOYEUR,
      body: { idExterne: asked.employeur, nom: 'Usine', idUnique: asked.idUniqueEmployeur },
    },
  ],
  'PUT /b2b/v1/employeur': (asked, own) =>
    bodies(
      EMPLOYEUR,
      { idExterne: asked.employeur, nom: 'Usine' },
      { idExterne: own.employeur, nom: 'Usine', idUnique: asked.idUniqueEmployeur },
    ),
  'DELETE /b2b/v1/employeur/:idExterne': (asked, own) => [
    { path: `${EMPLOYEUR}/${own.freeEmployeur}` },
    // Only its tenant protects an employer without employees.
    { path: `${EMPLOYEUR}/${asked.freeEmployeur}` },
    ifMatch(`${EMPLOYEUR}/${asked.employeur}`, asked.etagEmployeur),
  ],

  'POST /b2b/v2/sync': (asked, own) => [
    ...bodies(
      SYNC_V2,
      { Syndicats: [{ IdentifiantExterne: asked.syndicat, Nom: 'Local' }] },
      {
        Syndicats: [
          {
            IdentifiantExterne: own.syndicat,
            Nom: 'Local',
            Employeurs: [{ IdentifiantExterne: asked.employeur, Nom: 'Usine' }],
          },
        ],
      },
      {
        Syndicats: [
          {
            IdentifiantExterne: asked.syndicat,
            Nom: 'Local',
            Employeurs: [{ IdentifiantExterne: own.freeEmployeur, Nom: 'Usine' }],
          },
        ],
      },
    ),
    ...employesV2(asked, own).map((Employes) => ({ path: SYNC_V2, body: { Employes } })),
    { path: SYNC_V2, body: { ObjetsConsentement: [{ IdExterne: asked.objetConsentement, Nom: 'Infos' }] } },
    {
      path: `${SYNC_V2}?simulation=true`,
      body: {
        Syndicats: [{ IdentifiantExterne: asked.syndicat, Nom: 'Local' }],
        Employes: employesV2(asked, own)[1],
        ObjetsConsentement: [{ IdExterne: asked.objetConsentement, Nom: 'Infos' }],
      },
    },
    {
      path: SYNC_V2,
      body: { Employes: employesV2(asked, own)[1] },
      headers: { Prefer: 'respond-async' },
    },
  ],
  'POST /b2b/v2/employe/upsert': (asked, own) => [
    // The sync tests each record separately; the upsert does the same work.
    ...bodies(UPSERT, employesV2(asked, own)[1], [
      {
        IdExterne: own.employeV2,
        ...PERSON_V2,
        Emplois: [emploi(asked, asked.emploi, asked.employeur), emploi(asked, own.emploi, own.employeur)],
        Adhesions: [{ SyndicatIdExterne: asked.syndicat, DateAdhesion: DATE }],
      },
      {
        IdExterne: asked.employe,
        ...PERSON_V2,
        ValeursChampUtilisateur: [{ NomChamp: asked.champ, Valeur: asked.choix }],
      },
    ]),
    { path: `${UPSERT}?simulation=true`, body: employesV2(asked, own)[1] },
  ],
  'GET /b2b/v2/tache/:id': (asked, own) => [
    { path: `/b2b/v2/tache/${own.tache}` },
    { path: `/b2b/v2/tache/${asked.tache}` },
  ],
  'GET /b2b/v2/employe': (asked) => pages(EMPLOYE_V2, asked.curseurEmployesV2),
  'GET /b2b/v2/employe/:idExterne': (asked, own) => [
    ...each(`${EMPLOYE_V2}/`, own.employeV2, asked.employeV2, asked.employe, asked.idUniqueEmployeV2),
    ifNoneMatch(`${EMPLOYE_V2}/${asked.employeV2}`, asked.etagEmployeV2),
  ],
  'GET /b2b/v2/changement': (asked) => pages(CHANGEMENT, asked.curseurChangements, '?entite=Employe'),
  'GET /b2b/v2/emploi': (asked, own) =>
    pages(
      EMPLOI,
      asked.curseurEmplois,
      `?idExterneEmploye=${asked.employeV2}`,
      `?idExterneEmploye=${asked.employe}`,
      `?identifiantExterneEmployeur=${asked.employeur}`,
      `?idExterneSyndicat=${asked.syndicat}`,
      `?idExterneSyndicat=${asked.syndicat}&identifiantExterneEmployeur=${own.employeur}`,
      `?matricule=${asked.matricule}`,
      `?matricule=${asked.matricule}&actifLe=${DATE}`,
    ),
  'GET /b2b/v2/syndicat': (asked) => pages(SYNDICAT, asked.curseurSyndicats),
  'GET /b2b/v2/syndicat/:idExterne': (asked, own) => [
    ...each(`${SYNDICAT}/`, own.syndicat, asked.syndicat, asked.idUniqueSyndicat),
    ifNoneMatch(`${SYNDICAT}/${asked.syndicat}`, asked.etagSyndicat),
  ],
  'GET /b2b/v2/champ-utilisateur': (asked) => pages(CHAMP, asked.curseurChamps),
  'GET /b2b/v2/champ-utilisateur/:nom': (asked, own) => [
    ...each(`${CHAMP}/`, own.champ, asked.champ, asked.idUniqueChamp),
    ifNoneMatch(`${CHAMP}/${asked.champ}`, asked.etagChamp),
  ],
  'POST /b2b/v2/champ-utilisateur': (asked) =>
    bodies(
      CHAMP,
      { nom: asked.freeChamp, type: 'date', idUnique: asked.idUniqueChamp },
      { nom: asked.champ, type: 'choix', choix: [{ idExterne: asked.choix, libelle: 'Rouge' }] },
    ),
  'PUT /b2b/v2/champ-utilisateur': (asked, own) => [
    { path: CHAMP, body: { nom: asked.freeChamp, type: 'date' } },
    ifMatch(CHAMP, asked.etagFreeChamp, { nom: asked.freeChamp, type: 'date' }),
    ...bodies(
      CHAMP,
      choices(own.champ, own.choix, asked.choix),
      { ...choices(own.champ, own.choix), idUnique: asked.idUniqueChamp },
      // The caller's own choice is in use; another tenant's choice is not part of this field.
      choices(own.champ, asked.choix),
    ),
  ],
  'PUT /b2b/v2/champ-utilisateur/:nom': (asked, own) => [
    { path: `${CHAMP}/${asked.freeChamp}`, body: { type: 'date' } },
    ifMatch(`${CHAMP}/${asked.freeChamp}`, asked.etagFreeChamp, { type: 'date' }),
    { path: `${CHAMP}/${asked.idUniqueChamp}`, body: { type: 'date' } },
    { path: `${CHAMP}/${own.champ}`, body: choices(own.champ, own.choix, asked.choix) },
    { path: `${CHAMP}/${own.freeChamp}`, body: { nom: asked.freeChamp, type: 'date' } },
  ],
  'DELETE /b2b/v2/champ-utilisateur/:nom': (asked, own) => [
    { path: `${CHAMP}/${own.freeChamp}` },
    // Only its tenant protects a field without values.
    { path: `${CHAMP}/${asked.freeChamp}` },
    ifMatch(`${CHAMP}/${asked.freeChamp}`, asked.etagFreeChamp),
    { path: `${CHAMP}/${asked.idUniqueChamp}` },
  ],
  'GET /b2b/v2/objet-consentement': (asked) => pages(OBJET, asked.curseurObjets),
  'GET /b2b/v2/objet-consentement/:idExterne': (asked, own) => [
    ...each(`${OBJET}/`, own.objetConsentement, asked.objetConsentement, asked.idUniqueObjet),
    ifNoneMatch(`${OBJET}/${asked.objetConsentement}`, asked.etagObjet),
  ],
  'POST /b2b/v2/objet-consentement': (asked) => [
    {
      path: OBJET,
      body: { idExterne: asked.objetConsentement, nom: 'Infos', idUnique: asked.idUniqueObjet },
    },
  ],
  'PUT /b2b/v2/objet-consentement': (asked, own) => [
    { path: OBJET, body: { idExterne: asked.objetConsentement, nom: 'Infos' } },
    ifMatch(OBJET, asked.etagObjet, { idExterne: asked.objetConsentement, nom: 'Infos' }),
    { path: OBJET, body: { idExterne: own.objetConsentement, nom: 'Infos', idUnique: asked.idUniqueObjet } },
  ],
  'PUT /b2b/v2/objet-consentement/:idExterne': (asked, own) => [
    { path: `${OBJET}/${asked.objetConsentement}`, body: { nom: 'Infos' } },
    ifMatch(`${OBJET}/${asked.objetConsentement}`, asked.etagObjet, { nom: 'Infos' }),
    { path: `${OBJET}/${asked.idUniqueObjet}`, body: { nom: 'Infos' } },
    { path: `${OBJET}/${own.objetConsentement}`, body: { idExterne: asked.objetConsentement, nom: 'Infos' } },
  ],
  'DELETE /b2b/v2/objet-consentement/:idExterne': (asked, own) => [
    ...each(`${OBJET}/`, own.objetConsentement, asked.objetConsentement, asked.usedObjet),
    ifMatch(`${OBJET}/${asked.objetConsentement}`, asked.etagObjet),
    { path: `${OBJET}/${asked.idUniqueObjet}` },
  ],
  ...SIGNING_SAMPLES,
  ...VOTING_SAMPLES,
  ...MEETING_SAMPLES,
  ...WEBHOOK_SAMPLES,
  ...MESSAGING_SAMPLES,

  // Administrators may use any client, but the identifiers in one path must belong together.
  'GET /admin/v1/cellules': () => [{ path: '/admin/v1/cellules' }],
  'GET /admin/v1/cles': () => [{ path: '/admin/v1/cles' }],
  'DELETE /admin/v1/cles/:cleId': (asked) => [{ path: `/admin/v1/cles/${asked.cleId}` }],
  'GET /admin/v1/clients': () => [{ path: CLIENTS }, { path: `${CLIENTS}?limite=1` }],
  'POST /admin/v1/clients': (_asked, own) => [
    { path: CLIENTS, body: { nom: `Nouveau ${own.mark}`, modules: [] } },
  ],
  'GET /admin/v1/clients/:clientId': (_asked, own) => [{ path: `${CLIENTS}/${own.clientId}` }],
  'PUT /admin/v1/clients/:clientId': (_asked, own) => [
    { path: `${CLIENTS}/${own.clientId}`, body: { drapeaux: { seuilAnonymat: 3 } } },
  ],
  'POST /admin/v1/clients/:clientId/suspendre': (_asked, own) => [
    { path: `${CLIENTS}/${own.clientId}/suspendre`, body: { raison: 'Essai' } },
  ],
  'DELETE /admin/v1/clients/:clientId': (_asked, own) => [{ path: `${CLIENTS}/${own.clientId}` }],
  'POST /admin/v1/clients/:clientId/reprendre': (_asked, own) => [
    { path: `${CLIENTS}/${own.clientId}/reprendre` },
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
  'POST /admin/v1/clients/:clientId/cles/:cleId/rotation': (asked, own) => [
    { path: `${CLIENTS}/${own.clientId}/cles/${asked.cleId}/rotation`, body: { graceHeures: 24 } },
  ],
  'DELETE /admin/v1/clients/:clientId/cles/:cleId': (asked, own) => [
    { path: `${CLIENTS}/${own.clientId}/cles/${asked.cleId}` },
  ],
  'POST /admin/v1/clients/:clientId/environnements/:environnement/deplacer': (_asked, own) => [
    {
      path: `${CLIENTS}/${own.clientId}/environnements/staging/deplacer`,
      body: { cellule: 'principal' },
    },
  ],
  'GET /admin/v1/clients/:clientId/environnements/:environnement/deplacement': (_asked, own) => [
    { path: `${CLIENTS}/${own.clientId}/environnements/staging/deplacement` },
  ],
  ...ADMIN_SAMPLES,
};
