import { HELD } from '../adhesion/support/held';
import { bodies, type Calls, each, ifMatch, ifNoneMatch, pages } from '../contract/support/calls';

const EMPLOYE = '/b2b/v1/employe';
const PERSON = { prenom: 'Alex', nom: 'Tremblay' };
const EMPLOYEUR = '/b2b/v1/employeur';
const EMPLOYE_V2 = '/b2b/v2/employe';
const CHANGEMENT = '/b2b/v2/changement';
const EMPLOI = '/b2b/v2/emploi';
const DATE = '2024-01-01';
const SYNDICAT = '/b2b/v2/syndicat';
const CHAMP = '/b2b/v2/champ-utilisateur';

/** A custom field with these choices. */
function choices(nom: string, ...ids: string[]): object {
  return { nom, type: 'choix', choix: ids.map((idExterne) => ({ idExterne, libelle: 'Rouge' })) };
}

const JOUR = { idExterne: 'JOUR', libelle: 'Jour' };
const CHOSEN = '/b2b/v2/champ-utilisateur/Quart%20de%20travail';

export const CALLS: Calls = {
  'GET /b2b/v1/employe': {
    csv: true,
    foreign: (asked) => pages(EMPLOYE, asked.curseurEmployes),
  },
  'GET /b2b/v1/employe/:idExterne': {
    foreign: (asked) => [
      ...each(`${EMPLOYE}/`, asked.employe, asked.idUniqueEmploye),
      ifNoneMatch(`${EMPLOYE}/${asked.employe}`, asked.etagEmploye),
    ],
  },
  'POST /b2b/v1/employe': {
    foreign: (asked, own) =>
      bodies(
        EMPLOYE,
        asked.idempotentBody,
        { idExterne: asked.employe, ...PERSON, idUnique: asked.idUniqueEmploye },
        { idExterne: `N-${own.mark}`, ...PERSON, identifiantExterneEmployeur: asked.employeur },
      ),
    more: {
      changes: [
        { idExterne: 'E-2002', identifiantExterneEmployeur: 'INCONNU' },
        { idExterne: 'E-2003', identifiantExterneEmployeur: null, courriel: null },
      ],
    },
  },
  'PUT /b2b/v1/employe': {
    foreign: (asked, own) => [
      { path: EMPLOYE, body: { idExterne: asked.employe, ...PERSON } },
      ifMatch(EMPLOYE, asked.etagEmploye, { idExterne: asked.employe, ...PERSON }),
      ...bodies(
        EMPLOYE,
        { idExterne: own.employe, ...PERSON, idUnique: asked.idUniqueEmploye },
        { idExterne: own.employe, ...PERSON, identifiantExterneEmployeur: asked.employeur },
        { idExterne: own.employeV2, ...PERSON, identifiantExterneEmployeur: asked.employeur },
      ),
    ],
    more: { changes: [{ identifiantExterneEmployeur: 'INCONNU' }] },
  },
  'DELETE /b2b/v1/employe/:idExterne': {
    foreign: (asked, own) => [
      ...each(`${EMPLOYE}/`, own.employe, asked.employe),
      // Cards of another tenant's employee must not show.
      { path: `${EMPLOYE}/${asked.employePaye}` },
      ifMatch(`${EMPLOYE}/${asked.employe}`, asked.etagEmploye),
    ],
    // The employee has a signed card.
    more: {
      calls: ['E-1001', HELD.voter.employe].map((id) => ({ path: `/b2b/v1/employe/${id}` })),
    },
  },
  'GET /b2b/v1/employeur': {
    csv: true,
    foreign: (asked) => pages(EMPLOYEUR, asked.curseurEmployeurs),
  },
  'GET /b2b/v1/employeur/:idExterne': {
    foreign: (asked) => [
      { path: `${EMPLOYEUR}/${asked.employeur}` },
      ifNoneMatch(`${EMPLOYEUR}/${asked.employeur}`, asked.etagEmployeur),
    ],
  },
  'POST /b2b/v1/employeur': {
    foreign: (asked) => [
      {
        path: EMPLOYEUR,
        body: { idExterne: asked.employeur, nom: 'Usine', idUnique: asked.idUniqueEmployeur },
      },
    ],
  },
  'PUT /b2b/v1/employeur': {
    foreign: (asked, own) =>
      bodies(
        EMPLOYEUR,
        { idExterne: asked.employeur, nom: 'Usine' },
        { idExterne: own.employeur, nom: 'Usine', idUnique: asked.idUniqueEmployeur },
      ),
  },
  'DELETE /b2b/v1/employeur/:idExterne': {
    foreign: (asked, own) => [
      { path: `${EMPLOYEUR}/${own.freeEmployeur}` },
      // Only its tenant protects an employer without employees.
      { path: `${EMPLOYEUR}/${asked.freeEmployeur}` },
      ifMatch(`${EMPLOYEUR}/${asked.employeur}`, asked.etagEmployeur),
    ],
    // The employer has employees.
    more: { path: '/b2b/v1/employeur/EMP-100' },
  },
  'GET /b2b/v2/employe': {
    csv: true,
    foreign: (asked) => pages(EMPLOYE_V2, asked.curseurEmployesV2),
  },
  'GET /b2b/v2/employe/:idExterne': {
    foreign: (asked, own) => [
      ...each(`${EMPLOYE_V2}/`, own.employeV2, asked.employeV2, asked.employe, asked.idUniqueEmployeV2),
      ifNoneMatch(`${EMPLOYE_V2}/${asked.employeV2}`, asked.etagEmployeV2),
    ],
  },
  'GET /b2b/v2/changement': {
    foreign: (asked) => pages(CHANGEMENT, asked.curseurChangements, '?entite=Employe'),
    // Changes of employments, which name their employee.
    more: { path: '/b2b/v2/changement?entite=Emploi' },
  },
  'GET /b2b/v2/emploi': {
    csv: true,
    foreign: (asked, own) =>
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
    // Employments written by V1, and employments that have not ended.
    more: { path: '/b2b/v2/emploi' },
  },
  'GET /b2b/v2/syndicat': {
    foreign: (asked) => pages(SYNDICAT, asked.curseurSyndicats),
  },
  'GET /b2b/v2/syndicat/:idExterne': {
    foreign: (asked, own) => [
      ...each(`${SYNDICAT}/`, own.syndicat, asked.syndicat, asked.idUniqueSyndicat),
      ifNoneMatch(`${SYNDICAT}/${asked.syndicat}`, asked.etagSyndicat),
    ],
  },
  'GET /b2b/v2/champ-utilisateur': {
    foreign: (asked) => pages(CHAMP, asked.curseurChamps),
  },
  'GET /b2b/v2/champ-utilisateur/:nom': {
    foreign: (asked, own) => [
      ...each(`${CHAMP}/`, own.champ, asked.champ, asked.idUniqueChamp),
      ifNoneMatch(`${CHAMP}/${asked.champ}`, asked.etagChamp),
    ],
  },
  'POST /b2b/v2/champ-utilisateur': {
    foreign: (asked) =>
      bodies(
        CHAMP,
        { nom: asked.freeChamp, type: 'date', idUnique: asked.idUniqueChamp },
        { nom: asked.champ, type: 'choix', choix: [{ idExterne: asked.choix, libelle: 'Rouge' }] },
      ),
  },
  'PUT /b2b/v2/champ-utilisateur': {
    foreign: (asked, own) => [
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
    more: {
      changes: [{ nom: 'INCONNU' }, { type: 'texte', choix: [] }, { choix: [JOUR] }],
    },
  },
  'PUT /b2b/v2/champ-utilisateur/:nom': {
    foreign: (asked, own) => [
      { path: `${CHAMP}/${asked.freeChamp}`, body: { type: 'date' } },
      ifMatch(`${CHAMP}/${asked.freeChamp}`, asked.etagFreeChamp, { type: 'date' }),
      { path: `${CHAMP}/${asked.idUniqueChamp}`, body: { type: 'date' } },
      { path: `${CHAMP}/${own.champ}`, body: choices(own.champ, own.choix, asked.choix) },
      { path: `${CHAMP}/${own.freeChamp}`, body: { nom: asked.freeChamp, type: 'date' } },
    ],
    more: { changes: [{ type: 'texte', choix: [] }, { choix: [JOUR] }] },
  },
  'DELETE /b2b/v2/champ-utilisateur/:nom': {
    foreign: (asked, own) => [
      { path: `${CHAMP}/${own.freeChamp}` },
      // Only its tenant protects a field without values.
      { path: `${CHAMP}/${asked.freeChamp}` },
      ifMatch(`${CHAMP}/${asked.freeChamp}`, asked.etagFreeChamp),
      { path: `${CHAMP}/${asked.idUniqueChamp}` },
    ],
    // Employees have values of this field.
    more: { path: CHOSEN },
  },
};
