import { EXAMPLE_IDS } from '../../libs/adhesion/src';
import { type Calls, each, ifMatch, ifNoneMatch, pages } from '../contract/support/calls';
import type { Identifiers } from '../contract/support/spaces';
import { HELD } from './support/held';

const ADHESION_V1 = '/b2b/v1/adhesion';
const ADHESION_V2 = '/b2b/v2/adhesion';

/** Ids of `asked` that are not ids of cards. */
function otherIds(asked: Identifiers): string[] {
  const { demande, demandeConfirmee, formulaire, idUniqueEmployeV2, idUniqueSyndicat } = asked;
  return [demande, demandeConfirmee, formulaire, idUniqueEmployeV2, idUniqueSyndicat];
}

const CONCILIATION = '/b2b/v2/conciliation';
const FORMULAIRE = '/b2b/v2/formulaire';

function formulaires(asked: Identifiers, own: Identifiers): object[] {
  const mine = { titre: 'Carte', syndicatIdExterne: own.syndicat };
  return [
    { ...mine, id: asked.formulaire },
    { ...mine, syndicatIdExterne: asked.syndicat },
    { ...mine, champs: [own.champ, asked.champ] },
    { ...mine, objetsConsentement: [own.usedObjet, asked.usedObjet] },
  ];
}

const CONTACT = { prenom: 'Alex', nom: 'Tremblay', courriel: 'alex.tremblay@example.org' };

function signings(asked: Identifiers, own: Identifiers): object[] {
  const mine = { employeIdExterne: own.employeV2, syndicatIdExterne: own.syndicat, ...CONTACT };
  const value = (NomChamp: string, Valeur: string) => [{ NomChamp, Valeur }];
  return [
    mine,
    { ...mine, employeIdExterne: asked.employeV2 },
    { ...mine, employeIdExterne: asked.idUniqueEmployeV2 },
    { ...mine, syndicatIdExterne: asked.syndicat },
    { ...mine, employeIdExterne: asked.employeV2, syndicatIdExterne: asked.syndicat },
    { ...mine, formulaireId: asked.formulaire },
    { ...mine, formulaireId: asked.freeFormulaire, syndicatIdExterne: asked.syndicat },
    { ...mine, valeursChampUtilisateur: value(asked.champ, asked.choix) },
    { ...mine, valeursChampUtilisateur: value(own.champ, asked.choix) },
    { ...mine, consentements: [{ objetConsentementIdExterne: asked.usedObjet, accepte: true }] },
    { ...mine, noMembre: asked.noMembre },
  ];
}

const SIGNING = '/plateforme/v1/adhesions';
const PAIEMENT = { montant: 10, devise: 'CAD', reference: 'PAY-1' };
const CARD = '/b2b/v2/adhesion';
const NOTHING = '00000000-0000-4000-8000-000000000000';

const FULL_CONTACT = {
  noMembre: 'M-204511',
  telephonePrincipal: '418 555-0142',
  adresse1: '10, rue des Forges',
  ville: 'Trois-Rivières',
  province: 'QC',
  codePostal: 'G9A 2G4',
};

export const CALLS: Calls = {
  'GET /b2b/v1/adhesion': {
    csv: true,
    foreign: (asked) =>
      pages(
        ADHESION_V1,
        asked.curseurAdhesions,
        `?idExterne=${asked.employeV2}`,
        `?idExterne=${asked.idUniqueEmployeV2}`,
      ),
    // Cards with only the required fields.
    more: { path: '/b2b/v1/adhesion' },
  },
  'GET /b2b/v1/adhesion/:idExterne': {
    csv: true,
    hasOnePage: true,
    foreign: (asked, own) =>
      each(
        `${ADHESION_V1}/`,
        own.employeV2,
        asked.employeV2,
        asked.idUniqueEmployeV2,
        asked.adhesion,
        `${asked.employeV2}?curseur=${own.curseurAdhesions}`,
        `${own.employeV2}?curseur=${asked.curseurAdhesions}`,
      ),
  },
  'GET /b2b/v2/adhesion': {
    csv: true,
    foreign: (asked, own) =>
      pages(
        ADHESION_V2,
        asked.curseurAdhesions,
        `?idExterneEmploye=${asked.employeV2}`,
        `?idExterneSyndicat=${asked.syndicat}`,
        `?idExterneEmploye=${own.employeV2}&idExterneSyndicat=${asked.syndicat}`,
        `?noMembre=${asked.noMembre}`,
        `?noMembre=${asked.noMembre}&aSignatureManuscrite=true&avecPaiement=false`,
        '?avecPaiement=true',
        '?aSignatureManuscrite=true',
      ),
    more: { path: CARD },
  },
  'GET /b2b/v2/adhesion/:id': {
    csv: true,
    hasOnePage: true,
    foreign: (asked, own) =>
      each(
        `${ADHESION_V2}/`,
        own.employeV2,
        asked.employeV2,
        asked.idUniqueEmployeV2,
        asked.adhesion,
        `${own.employeV2}?idExterneEmploye=${asked.employeV2}`,
        `${asked.employeV2}?idExterneEmploye=${own.employeV2}`,
        `${own.employeV2}?idExterneSyndicat=${asked.syndicat}`,
        `${own.employeV2}?noMembre=${asked.noMembre}`,
        `${own.employeV2}?curseur=${asked.curseurAdhesions}`,
      ),
  },
  'DELETE /b2b/v2/adhesion/:id': {
    // The reasons that block deleting another tenant's card must not show; `asked.adhesion` has none.
    foreign: (asked, own) =>
      each(`${ADHESION_V2}/`, own.adhesion, asked.adhesion, asked.adhesionPayee, ...otherIds(asked)),
    more: {
      calls: [
        { path: `${CARD}/${HELD.voter.id}` },
        // The card has a payment and an authorization; the error names the payment.
        { path: `${CARD}/${EXAMPLE_IDS.adhesion}` },
        { path: `${CARD}/${HELD.authorized.id}` },
      ],
    },
  },
  'DELETE /b2b/v2/adhesion/membre/:idExterneMembre': {
    foreign: (asked, own) =>
      each(
        `${ADHESION_V2}/membre/`,
        own.employeV2,
        asked.employeV2,
        asked.employePaye,
        asked.idUniqueEmployeV2,
        `${asked.employeV2}?idExterneSyndicat=${asked.syndicat}`,
        `${asked.employeV2}?idExterneSyndicat=${own.syndicat}`,
        `${own.employeV2}?idExterneSyndicat=${asked.syndicat}`,
      ),
    more: {
      calls: [
        { path: `${CARD}/membre/${HELD.voter.employe}` },
        { path: `${CARD}/membre/E-1001` },
        { path: `${CARD}/membre/${HELD.authorized.employe}` },
      ],
    },
  },
  'GET /b2b/adhesion/:x/image-signature': {
    foreign: (asked, own) => [
      ...[own.adhesion, asked.adhesion, asked.adhesionPayee, asked.employeV2, ...otherIds(asked)].map(
        (x) => ({
          path: `/b2b/adhesion/${x}/image-signature`,
        }),
      ),
      ifNoneMatch(`/b2b/adhesion/${asked.adhesion}/image-signature`, asked.etagSignature),
    ],
    more: {
      calls: [
        { path: `/b2b/adhesion/${NOTHING}/image-signature` },
        { path: `/b2b/adhesion/${HELD.voter.id}/image-signature` },
        { path: '/b2b/adhesion/E-1001/image-signature' },
      ],
    },
  },
  'GET /b2b/employe/:idExterne/derniere-image-signature': {
    foreign: (asked, own) => [
      ...[own.employeV2, asked.employeV2, asked.employePaye, asked.idUniqueEmployeV2, asked.adhesion].map(
        (employe) => ({ path: `/b2b/employe/${employe}/derniere-image-signature` }),
      ),
      ifNoneMatch(`/b2b/employe/${asked.employeV2}/derniere-image-signature`, asked.etagSignatureEmploye),
    ],
    more: {
      path: `/b2b/employe/${HELD.voter.employe}/derniere-image-signature`,
    },
  },
  'GET /b2b/v2/conciliation': {
    foreign: (asked) => pages(CONCILIATION, asked.curseurDemandes, '?statut=Confirmee', '?statut=Rejetee'),
  },
  'GET /b2b/v2/conciliation/:id': {
    foreign: (asked, own) => [
      ...each(
        `${CONCILIATION}/`,
        own.demande,
        asked.demande,
        asked.demandeConfirmee,
        asked.demandeRejetee,
        asked.adhesion,
      ),
      ifNoneMatch(`${CONCILIATION}/${asked.demande}`, asked.etagDemande),
    ],
  },
  'POST /b2b/v2/conciliation/:id/confirmer': {
    foreign: (asked, own) =>
      [
        { id: own.demande, body: {} },
        // A known employee is matched; another tenant's employee is unknown here.
        { id: own.demande, body: { idExterne: own.employeV2 } },
        { id: own.demande, body: { idExterne: asked.employeV2, noMembre: asked.noMembre } },
        { id: asked.demande, body: {} },
        { id: asked.demande, body: { idExterne: own.employeV2 } },
        { id: asked.demandeConfirmee, body: {} },
        { id: asked.demandeRejetee, body: {} },
        { id: asked.adhesion, body: {} },
      ].map(({ id, body }) => ({ path: `${CONCILIATION}/${id}/confirmer`, body })),
    // The examples have rejected one request and confirmed the other.
    more: {
      path: `/b2b/v2/conciliation/${EXAMPLE_IDS.demandeDouteuse}/confirmer`,
    },
  },
  'POST /b2b/v2/conciliation/:id/rejeter': {
    foreign: (asked, own) =>
      [
        own.demande,
        asked.demande,
        asked.demandeConfirmee,
        asked.demandeRejetee,
        own.demandeConfirmee,
        asked.adhesion,
      ].map((id) => ({ path: `${CONCILIATION}/${id}/rejeter`, body: { raison: 'Inconnu' } })),
    more: {
      path: `/b2b/v2/conciliation/${EXAMPLE_IDS.demande}/rejeter`,
    },
  },
  'GET /b2b/v2/formulaire': {
    foreign: (asked) => pages(FORMULAIRE, asked.curseurFormulaires),
  },
  'GET /b2b/v2/formulaire/:id': {
    foreign: (asked, own) => [
      ...each(`${FORMULAIRE}/`, own.formulaire, asked.formulaire, asked.adhesion),
      ifNoneMatch(`${FORMULAIRE}/${asked.formulaire}`, asked.etagFormulaire),
    ],
  },
  'POST /b2b/v2/formulaire': {
    foreign: (asked, own) => formulaires(asked, own).map((body) => ({ path: FORMULAIRE, body })),
  },
  'PUT /b2b/v2/formulaire/:id': {
    foreign: (asked, own) => {
      const [mine] = formulaires(own, own);
      return [
        ...formulaires(asked, own).map((body) => ({ path: `${FORMULAIRE}/${own.formulaire}`, body })),
        { path: `${FORMULAIRE}/${asked.formulaire}`, body: mine },
        ifMatch(`${FORMULAIRE}/${asked.freeFormulaire}`, asked.etagFreeFormulaire, mine),
      ];
    },
  },
  'DELETE /b2b/v2/formulaire/:id': {
    foreign: (asked, own) => [
      // Only its tenant protects a form without cards; cards of another form must not show.
      ...each(`${FORMULAIRE}/`, own.freeFormulaire, asked.freeFormulaire, asked.formulaire),
      ifMatch(`${FORMULAIRE}/${asked.freeFormulaire}`, asked.etagFreeFormulaire),
    ],
    // A card was signed with this form.
    more: { path: `/b2b/v2/formulaire/${EXAMPLE_IDS.formulaire}` },
  },
  'POST /plateforme/v1/adhesions': {
    foreign: (asked, own) => signings(asked, own).map((body) => ({ path: SIGNING, body })),
    more: {
      changes: [
        // An inactive form.
        { formulaireId: EXAMPLE_IDS.formulaireLibre },
        { imageSignature: 'data:image/png;base64,iVBORw0KGgo=' },
        FULL_CONTACT,
        { ...FULL_CONTACT, employeIdExterne: 'INCONNU' },
      ],
    },
  },
  'GET /plateforme/v1/adhesions/:id': {
    foreign: (asked, own) => [
      ...each(`${SIGNING}/`, own.adhesion, own.demande, asked.adhesion, ...otherIds(asked)),
      ifNoneMatch(`${SIGNING}/${asked.adhesion}`, asked.etagAdhesion),
    ],
    // A confirmed request and a rejected one.
    more: {
      calls: [EXAMPLE_IDS.demande, EXAMPLE_IDS.demandeDouteuse].map((id) => ({
        path: `/plateforme/v1/adhesions/${id}`,
      })),
    },
  },
  'POST /plateforme/v1/adhesions/:id/paiements': {
    foreign: (asked, own) =>
      [own.adhesion, asked.adhesion, asked.adhesionPayee, asked.demande].map((id) => ({
        path: `${SIGNING}/${id}/paiements`,
        body: PAIEMENT,
      })),
  },
  'POST /plateforme/v1/adhesions/:id/autorisations-paiement': {
    foreign: (asked, own) =>
      [own.adhesion, asked.adhesion, asked.adhesionPayee, asked.demande].map((id) => ({
        path: `${SIGNING}/${id}/autorisations-paiement`,
        body: { reference: 'AUT-1' },
      })),
  },
};
