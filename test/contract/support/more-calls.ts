import { EXAMPLE_IDS, SigningService } from '../../../libs/adhesion/src';
import {
  ClientsService,
  EXAMPLE_CLE_ADMIN_ID,
  EXAMPLE_CLIENT_ID,
  EXAMPLE_CLOSED_CLIENT_ID,
  EXAMPLE_FORMER_CLIENT_ID,
} from '../../../libs/clients/src';
import { TEST_ACTOR } from '../../setup/actor';
import type { TestApp } from '../../setup/test-app';
import type { More } from './call';
import { MORE_OF_MEETINGS } from './more-calls-meetings';
import { MORE_OF_MESSAGING } from './more-calls-messaging';
import { holdCampaigns, MORE_OF_VOTING } from './more-calls-voting';
import { MORE_OF_WEBHOOKS } from './more-calls-webhooks';

const ENDED_CLE = '5b0c8f5e-94c1-4a0e-8f0a-6d0f0c9d7e99';

/** A client whose erasure is done. */
const ERASED_CLIENT = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b07';
const ERASED_PATH = `/admin/v1/clients/${ERASED_CLIENT}`;

/** Issues a key that has expired, and makes clients that may be erased, and that are. */
export async function holdCles(app: TestApp): Promise<void> {
  const clients = app.app.get(ClientsService);
  await clients.create(TEST_ACTOR, { id: EXAMPLE_FORMER_CLIENT_ID, nom: 'Parti', modules: [] });
  await clients.create(TEST_ACTOR, { id: EXAMPLE_CLOSED_CLIENT_ID, nom: 'Fermé', modules: [] });
  await clients.create(TEST_ACTOR, { id: ERASED_CLIENT, nom: 'Effacé', modules: [] });
  await app.database.query(
    `UPDATE client SET suspendu_le = now() - interval '31 days', raison_suspension = 'Résilié',
       suppression_demandee_le = CASE WHEN id = $2 THEN now() END, efface_le = CASE WHEN id = $2 THEN now() END
     WHERE id IN ($1, $2)`,
    [EXAMPLE_CLOSED_CLIENT_ID, ERASED_CLIENT],
  );
  await clients.issueAdminCle('Expirée', EXAMPLE_CLE_ADMIN_ID);
  await app.database.query(`UPDATE cle SET expire_le = now() WHERE id = $1`, [EXAMPLE_CLE_ADMIN_ID]);
  await clients.issueCle(TEST_ACTOR, EXAMPLE_CLIENT_ID, {
    ...{ id: ENDED_CLE, nom: 'Terminée', environnement: 'staging', role: 'partenaire' },
    expireLe: new Date('2020-01-01'),
  });
}

/** The only administrator's key that works. */
export const LIMITED_CLE = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b06';

/** A client whose data space has been moved. */
const MOVED_CLIENT = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b03';

/** Makes the data spaces that are moved, that could not be moved, and that were moved. */
export async function holdMoves(app: TestApp, tenantId: string): Promise<void> {
  const clients = app.app.get(ClientsService);
  const cle = { nom: 'Déplacement', environnement: 'production', role: 'partenaire' } as const;
  await clients.issueCle(TEST_ACTOR, EXAMPLE_CLIENT_ID, cle);
  await clients.create(TEST_ACTOR, { id: MOVED_CLIENT, nom: 'Déplacé', modules: [] });
  const { tenantId: moved } = await clients.issueCle(TEST_ACTOR, MOVED_CLIENT, cle);
  await app.database.query(
    `INSERT INTO deplacement (tenant_id, cellule_origine, cellule, etat, erreur, date_bascule, date_fin) VALUES
       ($1, 'principal', 'nord', 'Echouee', '{"code": "Deplacement.VoteOuvert", "detail": "A vote is open."}', NULL, now()),
       ($2, 'nord', 'principal', 'Reussie', NULL, now(), now())`,
    [tenantId, moved],
  );
}

const ASYNC = { Prefer: 'respond-async' };
const PERSONNE = `/admin/v1/clients/${EXAMPLE_CLIENT_ID}/environnements/staging/employes`;
const CHOSEN = '/b2b/v2/champ-utilisateur/Quart%20de%20travail';
const JOUR = { idExterne: 'JOUR', libelle: 'Jour' };
const NOTHING = '00000000-0000-4000-8000-000000000000';

/** Cards without an image that cannot be deleted, each for another reason. */
const HELD = {
  /** The employee is a voter of an active campaign. */
  voter: { employe: 'E-9001', id: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b01' },
  /** Future payments were authorized. */
  authorized: { employe: 'E-9002', id: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b02' },
} as const;

/** Creates the cards on the demonstration tenant that requests of `MORE` try to delete. */
export async function holdCards(
  app: TestApp,
  tenantId: string,
  keys: Readonly<Record<'partenaire' | 'plateforme', string>>,
): Promise<void> {
  for (const { employe, id } of Object.values(HELD)) {
    const person = { prenom: 'Alex', nom: 'Tremblay', courriel: 'alex.tremblay@example.org' };
    await app.send(keys.partenaire, 'POST', '/b2b/v1/employe', { idExterne: employe, ...person });
    const signing = { employeIdExterne: employe, syndicatIdExterne: 'SYN-10', ...person };
    await app.app.get(SigningService).sign(tenantId, TEST_ACTOR, signing, id);
  }
  await app.database.query(
    `INSERT INTO tache (tenant_id, type, etat, total, simulation, corps) VALUES ($1, 'sync', 'EnAttente', 1, false, $2)`,
    [tenantId, Buffer.from(JSON.stringify({ Employes: [{ IdExterne: HELD.authorized.employe }] }))],
  );
  const authorization = `/plateforme/v1/adhesions/${HELD.authorized.id}/autorisations-paiement`;
  await app.send(keys.plateforme, 'POST', authorization, { reference: 'AUT-1' });
  await holdCampaigns(app, keys, HELD.voter.employe);
}

const CARD = '/b2b/v2/adhesion';
const FULL_CONTACT = {
  noMembre: 'M-204511',
  telephonePrincipal: '418 555-0142',
  adresse1: '10, rue des Forges',
  ville: 'Trois-Rivières',
  province: 'QC',
  codePostal: 'G9A 2G4',
};

/**
 * Requests that the document alone does not give, by operation. They cause errors of domain rules, and return null in
 * properties that have a value in the examples.
 */
export const MORE: Readonly<Record<string, More>> = {
  'POST /b2b/v1/employe/sync': { changes: [{ employes: [{ idExterne: 'E-2002' }] }] },
  'POST /b2b/v1/employe': {
    changes: [
      { idExterne: 'E-2002', identifiantExterneEmployeur: 'INCONNU' },
      { idExterne: 'E-2003', identifiantExterneEmployeur: null, courriel: null },
    ],
  },
  'PUT /b2b/v1/employe': { changes: [{ identifiantExterneEmployeur: 'INCONNU' }] },
  // The employee has a signed card.
  'DELETE /b2b/v1/employe/:idExterne': {
    calls: ['E-1001', HELD.voter.employe].map((id) => ({ path: `/b2b/v1/employe/${id}` })),
  },
  // The employer has employees.
  'DELETE /b2b/v1/employeur/:idExterne': { path: '/b2b/v1/employeur/EMP-100' },
  'POST /b2b/v2/sync': {
    changes: [{ Employes: [{ IdExterne: 'E-2002' }] }],
    // The syntax error is in a record, which is parsed only when the task runs.
    calls: [{ headers: ASYNC }, { headers: ASYNC, body: '{"Employes": [{"IdExterne" "E-2002"}]}' }],
  },
  // Employments written by V1, and employments that have not ended.
  'GET /b2b/v2/emploi': { path: '/b2b/v2/emploi' },
  // Changes of employments, which name their employee.
  'GET /b2b/v2/changement': { path: '/b2b/v2/changement?entite=Emploi' },
  'PUT /b2b/v2/champ-utilisateur': {
    changes: [{ nom: 'INCONNU' }, { type: 'texte', choix: [] }, { choix: [JOUR] }],
  },
  'PUT /b2b/v2/champ-utilisateur/:nom': { changes: [{ type: 'texte', choix: [] }, { choix: [JOUR] }] },
  // Employees have values of this field.
  'DELETE /b2b/v2/champ-utilisateur/:nom': { path: CHOSEN },
  // Employees answered this consent object.
  'DELETE /b2b/v2/objet-consentement/:idExterne': { path: '/b2b/v2/objet-consentement/INFOLETTRE' },

  // Cards with only the required fields.
  'GET /b2b/v1/adhesion': { path: '/b2b/v1/adhesion' },
  'GET /b2b/v2/adhesion': { path: CARD },
  'DELETE /b2b/v2/adhesion/:id': {
    calls: [
      { path: `${CARD}/${HELD.voter.id}` },
      // The card has a payment and an authorization; the error names the payment.
      { path: `${CARD}/${EXAMPLE_IDS.adhesion}` },
      { path: `${CARD}/${HELD.authorized.id}` },
    ],
  },
  'DELETE /b2b/v2/adhesion/membre/:idExterneMembre': {
    calls: [
      { path: `${CARD}/membre/${HELD.voter.employe}` },
      { path: `${CARD}/membre/E-1001` },
      { path: `${CARD}/membre/${HELD.authorized.employe}` },
    ],
  },
  'GET /b2b/adhesion/:x/image-signature': {
    calls: [
      { path: `/b2b/adhesion/${NOTHING}/image-signature` },
      { path: `/b2b/adhesion/${HELD.voter.id}/image-signature` },
      { path: '/b2b/adhesion/E-1001/image-signature' },
    ],
  },
  'GET /b2b/employe/:idExterne/derniere-image-signature': {
    path: `/b2b/employe/${HELD.voter.employe}/derniere-image-signature`,
  },
  // The examples have rejected one request and confirmed the other.
  'POST /b2b/v2/conciliation/:id/confirmer': {
    path: `/b2b/v2/conciliation/${EXAMPLE_IDS.demandeDouteuse}/confirmer`,
  },
  'POST /b2b/v2/conciliation/:id/rejeter': {
    path: `/b2b/v2/conciliation/${EXAMPLE_IDS.demande}/rejeter`,
  },
  'DELETE /admin/v1/clients/:clientId/environnements/:environnement/employes/:idExterne': {
    // A voter of an active campaign, and an employee named in a waiting sync.
    calls: Object.values(HELD).map(({ employe }) => ({ path: `${PERSONNE}/${employe}` })),
  },
  // A card was signed with this form.
  'DELETE /b2b/v2/formulaire/:id': { path: `/b2b/v2/formulaire/${EXAMPLE_IDS.formulaire}` },
  // A confirmed request and a rejected one.
  'GET /plateforme/v1/adhesions/:id': {
    calls: [EXAMPLE_IDS.demande, EXAMPLE_IDS.demandeDouteuse].map((id) => ({
      path: `/plateforme/v1/adhesions/${id}`,
    })),
  },
  'POST /plateforme/v1/adhesions': {
    changes: [
      // An inactive form.
      { formulaireId: EXAMPLE_IDS.formulaireLibre },
      { imageSignature: 'data:image/png;base64,iVBORw0KGgo=' },
      FULL_CONTACT,
      { ...FULL_CONTACT, employeIdExterne: 'INCONNU' },
    ],
  },

  ...MORE_OF_VOTING,
  ...MORE_OF_MEETINGS,
  ...MORE_OF_WEBHOOKS,
  ...MORE_OF_MESSAGING,

  // The client name that the example of POST has already used.
  'POST /admin/v1/clients': { changes: [{ cellule: 'inconnue' }] },
  'PUT /admin/v1/clients/:clientId': {
    changes: [{ nom: 'Syndicat des métallos du Québec' }],
    calls: [{ path: ERASED_PATH }],
  },
  // The client of the demonstration has an open vote.
  'DELETE /admin/v1/clients/:clientId': {
    calls: [EXAMPLE_CLIENT_ID, MOVED_CLIENT].map((id) => ({ path: `/admin/v1/clients/${id}` })),
  },
  'GET /admin/v1/clients/:clientId': { path: ERASED_PATH },
  'POST /admin/v1/clients/:clientId/suspendre': { calls: [{ path: `${ERASED_PATH}/suspendre` }] },
  'POST /admin/v1/clients/:clientId/reprendre': { calls: [{ path: `${ERASED_PATH}/reprendre` }] },
  'POST /admin/v1/clients/:clientId/cles': {
    changes: [{ modules: null, expireLe: null }],
    calls: [{ path: `${ERASED_PATH}/cles` }],
  },
  // No other administrator's key works.
  'DELETE /admin/v1/cles/:cleId': { calls: [{ path: `/admin/v1/cles/${LIMITED_CLE}` }] },
  'POST /admin/v1/clients/:clientId/cles/:cleId/rotation': {
    calls: [{ path: `/admin/v1/clients/${EXAMPLE_CLIENT_ID}/cles/${ENDED_CLE}/rotation` }],
  },
  // The vote of the demonstration is open in staging.
  'POST /admin/v1/clients/:clientId/environnements/:environnement/deplacer': {
    calls: [`/admin/v1/clients/${EXAMPLE_CLIENT_ID}`, ERASED_PATH].map((client) => ({
      path: `${client}/environnements/staging/deplacer`,
    })),
    changes: [{ cellule: 'inconnue' }, { cellule: 'principal' }],
  },
  'GET /admin/v1/clients/:clientId/environnements/:environnement/deplacement': {
    calls: [
      { path: `/admin/v1/clients/${EXAMPLE_CLIENT_ID}/environnements/staging/deplacement` },
      { path: `/admin/v1/clients/${MOVED_CLIENT}/environnements/production/deplacement` },
    ],
  },
};
