import type { Answer } from '../../setup/test-app';
import { chunk, dataUrl, parts, png } from './png';

/** Identifiers, ETags and cursors of a tenant's cards, membership requests, forms and consents. */
export interface SignedIdentifiers {
  /** A card of `employeV2` with an image, which can be deleted. */
  readonly adhesion: string;
  /** A card without an image of an employee with no other card, with a payment and an authorization. */
  readonly adhesionPayee: string;
  readonly employePaye: string;
  readonly noMembre: string;
  /** A waiting request with an image and answers to consents. */
  readonly demande: string;
  readonly demandeConfirmee: string;
  readonly demandeRejetee: string;
  /** A form with signed cards, and one without. */
  readonly formulaire: string;
  readonly freeFormulaire: string;
  /** A consent object of the form that employees have answered. */
  readonly usedObjet: string;
  readonly etagAdhesion: string;
  readonly etagSignature: string;
  readonly etagSignatureEmploye: string;
  readonly etagDemande: string;
  readonly etagFormulaire: string;
  readonly etagFreeFormulaire: string;
  readonly curseurAdhesions: string;
  readonly curseurDemandes: string;
  readonly curseurFormulaires: string;
  readonly curseurConsentements: string;
}

/** Identifiers of the tenant that a signing uses. */
export interface Signable {
  readonly mark: string;
  /** Put into texts that only this tenant may read. */
  readonly secret: string;
  /** Two employees; the first has consents only. */
  readonly employe: string;
  readonly employeV2: string;
  readonly employePaye: string;
  readonly syndicat: string;
  readonly champ: string;
  readonly choix: string;
  readonly usedObjet: string;
}

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

export interface Callers {
  readonly partner: Send;
  readonly platform: Send;
  readonly cursor: (path: string) => Promise<string>;
}

const SIGNING = '/plateforme/v1/adhesions';
const CONCILIATION = '/b2b/v2/conciliation';
const FORMULAIRE = '/b2b/v2/formulaire';

/**
 * Returns an earlier date for a tenant that is created later: lists of cards begin with the newest, and the cursors of
 * the other tenants must come before its cards.
 */
function signedAt(): string {
  return new Date(2 * Date.UTC(2026, 0, 1) - Date.now()).toISOString();
}

/** Inserts at least one row in every table of consents, forms, cards, requests, events and the audit trail. */
export async function signAll(
  { partner, platform, cursor }: Callers,
  { mark, secret, employe, employeV2, employePaye, syndicat, champ, choix, usedObjet }: Signable,
): Promise<SignedIdentifiers> {
  const formOf = (titre: string) => ({
    titre: `${titre} ${secret}`,
    syndicatIdExterne: syndicat,
    champs: [champ],
    objetsConsentement: [usedObjet],
  });
  const formulaire = (await partner('POST', FORMULAIRE, formOf('Carte'))).json.id as string;
  const freeFormulaire = (await partner('POST', FORMULAIRE, formOf('Brouillon'))).json.id as string;
  const noMembre = `NM-${mark}`;
  const { ihdr, idat, iend } = parts({ width: 2, height: 2 });
  const imageSignature = dataUrl(png(ihdr, chunk('tEXt', Buffer.from(secret)), idat, iend));
  const person = {
    syndicatIdExterne: syndicat,
    prenom: `Prenom signé ${secret}`,
    nom: `Nom signé ${secret}`,
    courriel: `signe-${secret}@example.org`,
    telephonePrincipal: `418 ${secret}`,
    adresse1: `Rue ${secret}`,
    noMembre,
  };
  const whole = {
    ...person,
    transactionId: `TX-${secret}`,
    imageSignature,
    formulaireId: formulaire,
    valeursChampUtilisateur: [{ NomChamp: champ, Valeur: choix }],
    consentements: [{ objetConsentementIdExterne: usedObjet, accepte: true }],
  };
  const sign = async (signing: object): Promise<string> => {
    const { json } = await platform('POST', SIGNING, { ...signing, dateSignature: signedAt() });
    const { idUniqueAdhesion, demandeId } = json as Record<string, string | undefined>;
    return (idUniqueAdhesion ?? demandeId)!;
  };

  const adhesion = await sign({ ...whole, employeIdExterne: employeV2 });
  const adhesionPayee = await sign({ ...person, employeIdExterne: employePaye });
  const payment = { montant: 45.5, devise: 'CAD', reference: `PAY-${secret}` };
  await platform('POST', `${SIGNING}/${adhesionPayee}/paiements`, payment);
  const authorization = { reference: `AUT-${secret}` };
  await platform('POST', `${SIGNING}/${adhesionPayee}/autorisations-paiement`, authorization);
  const deleted = await sign({ ...person, employeIdExterne: employeV2 });
  await partner('DELETE', `/b2b/v2/adhesion/${deleted}`);

  const demande = await sign({ ...whole, employeIdExterne: `INCONNU-${mark}` });
  await sign(person);
  const demandeConfirmee = await sign(whole);
  await partner('POST', `${CONCILIATION}/${demandeConfirmee}/confirmer`, {});
  const demandeRejetee = await sign(person);
  await partner('POST', `${CONCILIATION}/${demandeRejetee}/rejeter`, { raison: `Raison ${secret}` });
  for (const accepte of [true, false]) {
    const consent = { idExterneEmploye: employe, objetConsentementIdExterne: usedObjet, accepte };
    await platform('POST', '/plateforme/v1/consentements', consent);
  }

  const etag = async (send: Send, path: string): Promise<string> =>
    (await send('GET', path)).headers.get('etag')!;
  return {
    adhesion,
    adhesionPayee,
    employePaye,
    noMembre,
    demande,
    demandeConfirmee,
    demandeRejetee,
    formulaire,
    freeFormulaire,
    usedObjet,
    etagAdhesion: await etag(platform, `${SIGNING}/${adhesion}`),
    etagSignature: await etag(partner, `/b2b/adhesion/${adhesion}/image-signature`),
    etagSignatureEmploye: await etag(partner, `/b2b/employe/${employeV2}/derniere-image-signature`),
    etagDemande: await etag(partner, `${CONCILIATION}/${demande}`),
    etagFormulaire: await etag(partner, `${FORMULAIRE}/${formulaire}`),
    etagFreeFormulaire: await etag(partner, `${FORMULAIRE}/${freeFormulaire}`),
    curseurAdhesions: await cursor('/b2b/v2/adhesion'),
    curseurDemandes: await cursor(CONCILIATION),
    curseurFormulaires: await cursor(FORMULAIRE),
    curseurConsentements: await cursor('/b2b/v1/consentement'),
  };
}
