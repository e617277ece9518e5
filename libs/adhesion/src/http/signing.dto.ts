import { ApiProperty } from '@nestjs/swagger';
import { REPONSE_CONSENTEMENT_FIELDS } from '#consent';
import { EMPLOYE_FIELDS, VALEUR_FIELDS } from '#membership';
import { Input, Shown } from '#shared/http/field.decorator';
import { readOnly } from '#shared/records/field';
import type { Signing } from '../application/signing.service';
import { statut, type StatutDemande } from '../domain/conciliation.fields';
import { AUTORISATION_FIELDS, PAIEMENT_FIELDS } from '../domain/paiement.fields';
import { SIGNING_FIELDS } from '../domain/signing.fields';
import { idUniqueAdhesion } from './adhesions.dto';
import { EXAMPLE_IDS } from './examples';

/** The most of each list that one signing may carry: a consent is stored with all the values. */
const MOST_VALEURS = 200;
const MOST_CONSENTEMENTS = 100;

const VALEUR = {
  ...VALEUR_FIELDS.Valeur,
  description:
    'The value as text: a date in ISO 8601, `true` or `false`, a choice by its external identifier. Empty or null: no value.',
} as const;

class ValeurInput {
  @Input(VALEUR_FIELDS.NomChamp)
  NomChamp: string;

  @Input(VALEUR)
  Valeur?: string | null;
}

class ReponseConsentementInput {
  @Input(REPONSE_CONSENTEMENT_FIELDS.objetConsentementIdExterne)
  objetConsentementIdExterne: string;

  @Input(REPONSE_CONSENTEMENT_FIELDS.accepte)
  accepte: boolean;
}

/** Contact data that may be left out. */
export class ContactInput {
  @Input(EMPLOYE_FIELDS.telephonePrincipal)
  telephonePrincipal?: string | null;

  @Input(EMPLOYE_FIELDS.adresse1)
  adresse1?: string | null;

  @Input(EMPLOYE_FIELDS.ville)
  ville?: string | null;

  @Input(EMPLOYE_FIELDS.province)
  province?: string | null;

  @Input(EMPLOYE_FIELDS.codePostal)
  codePostal?: string | null;

  @Input(EMPLOYE_FIELDS.noMembre)
  noMembre?: string | null;
}

/** Body of a signing: who signs what, with the contact data as signed. */
export class SigningInput extends ContactInput implements Signing {
  @Input(SIGNING_FIELDS.employeIdExterne)
  employeIdExterne?: string | null;

  @Input(SIGNING_FIELDS.syndicatIdExterne)
  syndicatIdExterne: string;

  @Input(EMPLOYE_FIELDS.prenom)
  prenom: string;

  @Input(EMPLOYE_FIELDS.nom)
  nom: string;

  @Input({ ...EMPLOYE_FIELDS.courriel, required: true })
  courriel: string;

  @Input(SIGNING_FIELDS.dateSignature)
  dateSignature?: Date | null;

  @Input(SIGNING_FIELDS.transactionId)
  transactionId?: string | null;

  @Input(SIGNING_FIELDS.imageSignature)
  imageSignature?: string | null;

  @Input(SIGNING_FIELDS.formulaireId)
  formulaireId?: string | null;

  @Input(
    {
      kind: 'records',
      of: VALEUR_FIELDS,
      max: MOST_VALEURS,
      description:
        'Values of custom fields, which the card keeps as signed; the employee’s own stay. Together at most 65,536 characters.',
    },
    ValeurInput,
  )
  valeursChampUtilisateur?: ValeurInput[] | null;

  @Input(
    {
      kind: 'records',
      of: REPONSE_CONSENTEMENT_FIELDS,
      max: MOST_CONSENTEMENTS,
      description: 'Consents that were answered with the signature.',
    },
    ReponseConsentementInput,
  )
  consentements?: ReponseConsentementInput[] | null;
}

/** A signing of somebody who is no known employee: it waits for conciliation. */
export class DemandeRecueItem {
  @Shown(readOnly('Identifier of the request (GUID).', EXAMPLE_IDS.demande), { always: true, format: 'uuid' })
  demandeId: string;

  @Shown(statut)
  statut: StatutDemande;
}

/** What became of it. */
export class DemandeSuivieItem extends DemandeRecueItem {
  @Shown(
    { ...idUniqueAdhesion, description: 'The card that it became (GUID); null unless it is confirmed.' },
    { format: 'uuid' },
  )
  adhesionId: string | null;
}

const link = readOnly('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c01');
const dateCreation = readOnly('When it was linked (UTC).', '2026-03-02T14:05:09.120Z');

/** Body of a payment. */
export class PaiementInput {
  @Input(PAIEMENT_FIELDS.montant)
  montant: string;

  @Input(PAIEMENT_FIELDS.devise)
  devise: string;

  @Input(PAIEMENT_FIELDS.reference)
  reference: string;
}

/** Body of the authorization of payments. */
export class AutorisationPaiementInput {
  @Input(AUTORISATION_FIELDS.reference)
  reference: string;
}

/** An authorization of payments that is linked to a card. */
export class AutorisationPaiementItem {
  @Shown(link, { always: true, format: 'uuid' })
  idUnique: string;

  @Shown(idUniqueAdhesion, { always: true, format: 'uuid' })
  idUniqueAdhesion: string;

  @Shown(PAIEMENT_FIELDS.reference)
  reference: string;

  @Shown(dateCreation, { always: true, format: 'date-time' })
  dateCreation: string;
}

/** A payment that is linked to a card. */
export class PaiementItem extends AutorisationPaiementItem {
  @ApiProperty({ description: 'Amount.', example: 45.5 })
  montant: number;

  @Shown(PAIEMENT_FIELDS.devise)
  devise: string;
}
