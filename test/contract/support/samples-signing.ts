import { each, ifMatch, ifNoneMatch, pages, type Samples } from './sample';
import type { Identifiers } from './spaces';

const CONSENTEMENT = '/b2b/v1/consentement';
const ADHESION_V1 = '/b2b/v1/adhesion';
const ADHESION_V2 = '/b2b/v2/adhesion';
const CONCILIATION = '/b2b/v2/conciliation';
const FORMULAIRE = '/b2b/v2/formulaire';
const SIGNING = '/plateforme/v1/adhesions';
const CONSENTEMENTS = '/plateforme/v1/consentements';
const CONTACT = { prenom: 'Alex', nom: 'Tremblay', courriel: 'alex.tremblay@example.org' };
const PAIEMENT = { montant: 10, devise: 'CAD', reference: 'PAY-1' };

/** Ids of `asked` that are not ids of cards. */
function otherIds(asked: Identifiers): string[] {
  const { demande, demandeConfirmee, formulaire, idUniqueEmployeV2, idUniqueSyndicat } = asked;
  return [demande, demandeConfirmee, formulaire, idUniqueEmployeV2, idUniqueSyndicat];
}

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

function formulaires(asked: Identifiers, own: Identifiers): object[] {
  const mine = { titre: 'Carte', syndicatIdExterne: own.syndicat };
  return [
    { ...mine, id: asked.formulaire },
    { ...mine, syndicatIdExterne: asked.syndicat },
    { ...mine, champs: [own.champ, asked.champ] },
    { ...mine, objetsConsentement: [own.usedObjet, asked.usedObjet] },
  ];
}

/** Consents, forms, cards, membership requests and payments. */
export const SIGNING_SAMPLES: Readonly<Record<string, Samples>> = {
  'GET /b2b/v1/consentement': (asked) => pages(CONSENTEMENT, asked.curseurConsentements),
  'GET /b2b/v1/consentement/:idExterne': (asked, own) =>
    each(
      `${CONSENTEMENT}/`,
      own.employe,
      asked.employe,
      asked.employeV2,
      asked.idUniqueEmploye,
      `${asked.employe}?curseur=${own.curseurConsentements}`,
      `${own.employe}?curseur=${asked.curseurConsentements}`,
    ),
  'POST /plateforme/v1/consentements': (asked, own) =>
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

  'GET /b2b/v1/adhesion': (asked) =>
    pages(
      ADHESION_V1,
      asked.curseurAdhesions,
      `?idExterne=${asked.employeV2}`,
      `?idExterne=${asked.idUniqueEmployeV2}`,
    ),
  'GET /b2b/v1/adhesion/:idExterne': (asked, own) =>
    each(
      `${ADHESION_V1}/`,
      own.employeV2,
      asked.employeV2,
      asked.idUniqueEmployeV2,
      asked.adhesion,
      `${asked.employeV2}?curseur=${own.curseurAdhesions}`,
      `${own.employeV2}?curseur=${asked.curseurAdhesions}`,
    ),
  'GET /b2b/v2/adhesion': (asked, own) =>
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
  'GET /b2b/v2/adhesion/:id': (asked, own) =>
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
  // The reasons that block deleting another tenant's card must not show; `asked.adhesion` has none.
  'DELETE /b2b/v2/adhesion/:id': (asked, own) =>
    each(`${ADHESION_V2}/`, own.adhesion, asked.adhesion, asked.adhesionPayee, ...otherIds(asked)),
  'DELETE /b2b/v2/adhesion/membre/:idExterneMembre': (asked, own) =>
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
  'GET /b2b/adhesion/:x/image-signature': (asked, own) => [
    ...[own.adhesion, asked.adhesion, asked.adhesionPayee, asked.employeV2, ...otherIds(asked)].map((x) => ({
      path: `/b2b/adhesion/${x}/image-signature`,
    })),
    ifNoneMatch(`/b2b/adhesion/${asked.adhesion}/image-signature`, asked.etagSignature),
  ],
  'GET /b2b/employe/:idExterne/derniere-image-signature': (asked, own) => [
    ...[own.employeV2, asked.employeV2, asked.employePaye, asked.idUniqueEmployeV2, asked.adhesion].map(
      (employe) => ({ path: `/b2b/employe/${employe}/derniere-image-signature` }),
    ),
    ifNoneMatch(`/b2b/employe/${asked.employeV2}/derniere-image-signature`, asked.etagSignatureEmploye),
  ],

  'GET /b2b/v2/conciliation': (asked) =>
    pages(CONCILIATION, asked.curseurDemandes, '?statut=Confirmee', '?statut=Rejetee'),
  'GET /b2b/v2/conciliation/:id': (asked, own) => [
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
  'POST /b2b/v2/conciliation/:id/confirmer': (asked, own) =>
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
  'POST /b2b/v2/conciliation/:id/rejeter': (asked, own) =>
    [
      own.demande,
      asked.demande,
      asked.demandeConfirmee,
      asked.demandeRejetee,
      own.demandeConfirmee,
      asked.adhesion,
    ].map((id) => ({ path: `${CONCILIATION}/${id}/rejeter`, body: { raison: 'Inconnu' } })),

  'GET /b2b/v2/formulaire': (asked) => pages(FORMULAIRE, asked.curseurFormulaires),
  'GET /b2b/v2/formulaire/:id': (asked, own) => [
    ...each(`${FORMULAIRE}/`, own.formulaire, asked.formulaire, asked.adhesion),
    ifNoneMatch(`${FORMULAIRE}/${asked.formulaire}`, asked.etagFormulaire),
  ],
  'POST /b2b/v2/formulaire': (asked, own) =>
    formulaires(asked, own).map((body) => ({ path: FORMULAIRE, body })),
  'PUT /b2b/v2/formulaire/:id': (asked, own) => {
    const [mine] = formulaires(own, own);
    return [
      ...formulaires(asked, own).map((body) => ({ path: `${FORMULAIRE}/${own.formulaire}`, body })),
      { path: `${FORMULAIRE}/${asked.formulaire}`, body: mine },
      ifMatch(`${FORMULAIRE}/${asked.freeFormulaire}`, asked.etagFreeFormulaire, mine),
    ];
  },
  'DELETE /b2b/v2/formulaire/:id': (asked, own) => [
    // Only its tenant protects a form without cards; cards of another form must not show.
    ...each(`${FORMULAIRE}/`, own.freeFormulaire, asked.freeFormulaire, asked.formulaire),
    ifMatch(`${FORMULAIRE}/${asked.freeFormulaire}`, asked.etagFreeFormulaire),
  ],

  'POST /plateforme/v1/adhesions': (asked, own) =>
    signings(asked, own).map((body) => ({ path: SIGNING, body })),
  'GET /plateforme/v1/adhesions/:id': (asked, own) => [
    ...each(`${SIGNING}/`, own.adhesion, own.demande, asked.adhesion, ...otherIds(asked)),
    ifNoneMatch(`${SIGNING}/${asked.adhesion}`, asked.etagAdhesion),
  ],
  'POST /plateforme/v1/adhesions/:id/paiements': (asked, own) =>
    [own.adhesion, asked.adhesion, asked.adhesionPayee, asked.demande].map((id) => ({
      path: `${SIGNING}/${id}/paiements`,
      body: PAIEMENT,
    })),
  'POST /plateforme/v1/adhesions/:id/autorisations-paiement': (asked, own) =>
    [own.adhesion, asked.adhesion, asked.adhesionPayee, asked.demande].map((id) => ({
      path: `${SIGNING}/${id}/autorisations-paiement`,
      body: { reference: 'AUT-1' },
    })),
};
