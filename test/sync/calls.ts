import { bodies, type Calls, each, pages } from '../contract/support/calls';
import { EXAMPLE_CLIENT_ID } from '../../libs/clients/src';
import { EXAMPLE_PLAN_IDS, EXAMPLE_SYNC_IDS } from '../../libs/sync/src';
import { HELD_PLANS, HELD_SYNC } from './held';
import type { Identifiers } from '../contract/support/spaces';

const EMPLOYE = '/b2b/v1/employe';
const PERSON = { prenom: 'Alex', nom: 'Tremblay' };
const SYNC_V2 = '/b2b/v2/sync';
const PLAN = '/b2b/v2/plan';
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

const UPSERT = '/b2b/v2/employe/upsert';
const ASYNC = { Prefer: 'respond-async' };

export const CALLS: Calls = {
  'POST /b2b/v1/employe/sync': {
    foreign: (asked, own) => [
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
    more: { changes: [{ employes: [{ idExterne: 'E-2002' }] }] },
  },
  'POST /b2b/v2/sync': {
    foreign: (asked, own) => [
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
        headers: ASYNC,
      },
    ],
    more: {
      changes: [{ Employes: [{ IdExterne: 'E-2002' }] }],
      // The syntax error is in a record, which is parsed only when the task runs.
      calls: [{ headers: ASYNC }, { headers: ASYNC, body: '{"Employes": [{"IdExterne" "E-2002"}]}' }],
    },
  },
  'POST /b2b/v2/employe/upsert': {
    foreign: (asked, own) => [
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
  },
  'POST /b2b/v2/plan': {
    foreign: (asked, own) => [
      { path: PLAN, body: { Syndicats: [{ IdentifiantExterne: asked.syndicat, Nom: 'Local' }] } },
      ...employesV2(asked, own).map((Employes) => ({ path: PLAN, body: { Employes } })),
      {
        path: `${PLAN}?version=1`,
        body: {
          Employes: [{ IdExterne: asked.employe, ...PERSON, identifiantExterneEmployeur: own.employeur }],
        },
      },
      { path: PLAN, body: { Employes: employesV2(asked, own)[1] }, headers: ASYNC },
    ],
    more: { calls: [{ headers: ASYNC }] },
  },
  'GET /b2b/v2/plan': { foreign: (asked) => pages(PLAN, asked.curseurPlans) },
  'GET /b2b/v2/plan/:id': { foreign: (asked, own) => each(`${PLAN}/`, own.plan, asked.plan) },
  'GET /b2b/v2/plan/:id/changements': {
    foreign: (asked, own) => [
      ...pages(
        `${PLAN}/${own.plan}/changements`,
        asked.curseurChangementsPlan,
        '?entite=Employe',
        '?nature=Cree',
      ),
      ...pages(`${PLAN}/${asked.plan}/changements`, asked.curseurChangementsPlan),
    ],
    // Without the filters of the example.
    more: { path: `${PLAN}/${EXAMPLE_PLAN_IDS.aLire}/changements` },
  },
  'POST /b2b/v2/plan/:id/appliquer': {
    foreign: (asked) => [{ path: `${PLAN}/${asked.plan}/appliquer` }],
    more: {
      calls: [HELD_PLANS.Perime, HELD_PLANS.Bloque].map((id) => ({ path: `${PLAN}/${id}/appliquer` })),
    },
  },
  'DELETE /b2b/v2/plan/:id': { foreign: (asked) => [{ path: `${PLAN}/${asked.plan}` }] },
  'POST /admin/v1/clients/:clientId/environnements/:environnement/plans/:planId/autoriser': {
    foreign: (asked, own) => [
      {
        path: `/admin/v1/clients/${own.clientId}/environnements/staging/plans/${asked.plan}/autoriser`,
        body: { raison: 'Essai' },
      },
    ],
    isUnrecorded: true,
    more: {
      calls: [HELD_PLANS.Perime, HELD_PLANS.Applique].map((id) => ({
        path: `/admin/v1/clients/${EXAMPLE_CLIENT_ID}/environnements/staging/plans/${id}/autoriser`,
      })),
    },
  },
  'GET /b2b/v2/sync': { foreign: (asked) => pages(SYNC_V2, asked.curseurSyncs) },
  'GET /b2b/v2/sync/:id': { foreign: (asked, own) => each(`${SYNC_V2}/`, own.sync, asked.sync) },
  'POST /b2b/v2/sync/:id/annuler': {
    foreign: (asked) => [
      { path: `${SYNC_V2}/${asked.sync}/annuler` },
      { path: `${SYNC_V2}/${asked.sync}/annuler?simulation=true`, body: { ignorerConflits: true } },
    ],
    more: {
      calls: [
        // A later sync of the demonstration has changed an employee of this one.
        { path: `${SYNC_V2}/${EXAMPLE_SYNC_IDS.aLire}/annuler`, body: {} },
        {
          path: `${SYNC_V2}/${EXAMPLE_SYNC_IDS.aLire}/annuler?simulation=true`,
          body: { ignorerConflits: true },
        },
        { path: `${SYNC_V2}/${HELD_SYNC}/annuler` },
      ],
    },
  },
  'GET /b2b/v2/tache/:id': {
    foreign: (asked, own) => [
      { path: `/b2b/v2/tache/${own.tache}` },
      { path: `/b2b/v2/tache/${asked.tache}` },
    ],
  },
};
