import { REPONSE_CONSENTEMENT_FIELDS } from '#consent';
import { PERSONNE_FIELDS, VALEUR_FIELDS } from '#membership';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { givenId, givenTime, omit } from '#platform/input/field';
import { value } from '#platform/input/values';
import type { Signing } from '../application/signing.service';
import { statut } from '../domain/conciliation.fields';
import { AUTORISATION_FIELDS, PAIEMENT_FIELDS } from '../domain/paiement.fields';
import { SIGNING_FIELDS } from '../domain/signing.fields';
import { idUniqueAdhesion } from './adhesions.dto';
import { EXAMPLE_IDS } from './examples';

/** The most of each list that one signing may carry: a consent is stored with all the values. */
const MOST_VALEURS = 200;
const MOST_CONSENTEMENTS = 100;

class ValeurInput extends InputOf({
  ...VALEUR_FIELDS,
  Valeur: {
    ...VALEUR_FIELDS.Valeur,
    description:
      'The value as text: a date in ISO 8601, `true` or `false`, a choice by its external identifier. Empty or null: no value.',
  },
}) {}

class ReponseConsentementInput extends InputOf(REPONSE_CONSENTEMENT_FIELDS) {}

/** Contact data that may be left out. */
export class ContactInput extends InputOf(omit(PERSONNE_FIELDS, 'prenom', 'nom', 'courriel')) {}

/** Body of a signing: the person and the form, with the contact data as signed. */
export class SigningInput
  extends InputOf(
    {
      ...SIGNING_FIELDS,
      ...PERSONNE_FIELDS,
      courriel: { ...PERSONNE_FIELDS.courriel, required: true },
      valeursChampUtilisateur: {
        kind: 'records',
        of: VALEUR_FIELDS,
        max: MOST_VALEURS,
        description:
          'Values of custom fields, which the card keeps as signed; the employee’s own stay. Together at most 65,536 bytes of UTF-8.',
      },
      consentements: {
        kind: 'records',
        of: REPONSE_CONSENTEMENT_FIELDS,
        max: MOST_CONSENTEMENTS,
        description: 'Consents that were answered with the signature.',
      },
    } as const,
    { valeursChampUtilisateur: ValeurInput, consentements: ReponseConsentementInput },
  )
  implements Signing {}

/** A card signed by an unknown person: it waits for conciliation. */
export class DemandeRecueItem extends ItemOf({
  demandeId: givenId('Identifier of the request (GUID).', EXAMPLE_IDS.demande),
  statut,
}) {}

/** The outcome of such a request. */
export class DemandeSuivieItem extends ItemOf(
  {
    adhesionId: {
      ...idUniqueAdhesion,
      always: false,
      description: 'The card that it became (GUID); null unless it is confirmed.',
    },
  },
  {},
  DemandeRecueItem,
) {}

/** Body of a payment. */
export class PaiementInput extends InputOf(PAIEMENT_FIELDS) {}

/** Body of the authorization of payments. */
export class AutorisationPaiementInput extends InputOf(AUTORISATION_FIELDS) {}

/** An authorization of payments that is linked to a card. */
export class AutorisationPaiementItem extends ItemOf({
  idUnique: givenId('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c01'),
  idUniqueAdhesion,
  reference: PAIEMENT_FIELDS.reference,
  dateCreation: givenTime('When it was linked (UTC).', '2026-03-02T14:05:09.120Z'),
}) {}

/** A payment that is linked to a card. */
export class PaiementItem extends ItemOf(
  { montant: value.number('Amount.', 45.5), devise: PAIEMENT_FIELDS.devise },
  {},
  AutorisationPaiementItem,
) {}
