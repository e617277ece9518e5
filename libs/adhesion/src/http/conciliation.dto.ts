import { EMPLOYE_FIELDS } from '#membership';
import { Input, Shown } from '#shared/http/field.decorator';
import { PagingQuery } from '#shared/http/listing';
import { givenId, givenTime, readOnly } from '#shared/records/field';
import type { ContactOverrides } from '../application/conciliation.service';
import { raison, statut, type StatutDemande } from '../domain/conciliation.fields';
import { SIGNING_FIELDS } from '../domain/signing.fields';
import { aSignatureManuscripte, AsSignedItem, idUniqueAdhesion, SIGNED, syndicatNom } from './adhesions.dto';
import { EXAMPLE_IDS } from './examples';
import { ContactInput } from './signing.dto';

const idExterne = readOnly(
  'External identifier of the employee whom the confirmation made or matched.',
  'M-000001',
);

/** A membership request: a signing of somebody who was no known employee. */
export class DemandeItem extends AsSignedItem {
  @Shown(givenId('Identifier of the request (GUID).', EXAMPLE_IDS.demande))
  demandeId: string;

  @Shown(statut)
  statut: StatutDemande;

  @Shown(SIGNED.dateSignature)
  dateSignature: string;

  @Shown(SIGNING_FIELDS.transactionId)
  transactionId: string | null;

  @Shown({ kind: 'boolean', required: true, ...aSignatureManuscripte })
  aSignatureManuscripte: boolean;

  @Shown(SIGNED.syndicatIdExterne)
  syndicatIdExterne: string;

  @Shown(syndicatNom)
  syndicatNom: string;

  @Shown({ ...SIGNING_FIELDS.employeIdExterne, shown: 'What was sent as the employee; it named nobody.' })
  employeIdExterne: string | null;

  @Shown(EMPLOYE_FIELDS.prenom)
  prenom: string;

  @Shown(EMPLOYE_FIELDS.nom)
  nom: string;

  @Shown(EMPLOYE_FIELDS.noMembre)
  noMembre: string | null;

  @Shown(givenTime('When the request came (UTC).', '2026-03-02T14:05:09.120Z'))
  dateCreation: string;

  @Shown({
    ...readOnly('When it was decided (UTC); null while it waits.', '2026-03-03T09:00:00.000Z'),
    format: 'date-time',
  })
  dateDecision: string | null;

  @Shown({ ...raison, required: false, description: 'Why it was rejected.' })
  raison: string | null;

  @Shown(idExterne)
  idExterne: string | null;

  @Shown({ ...idUniqueAdhesion, always: false, description: 'The card that it became (GUID).' })
  adhesionId: string | null;
}

export class ConciliationList extends PagingQuery {
  @Input({ ...statut, required: false, description: 'Only requests in this state; `ATransferer` if absent.' })
  statut?: StatutDemande;
}

const kept = { required: false, neverNull: true } as const;

/** Body of a confirmation, which may be left out. A contact field that is absent stays as signed; null clears one that may be empty. */
export class ConfirmationInput extends ContactInput implements ContactOverrides {
  static readonly mayBeAbsent = true;

  @Input({
    ...EMPLOYE_FIELDS.idExterne,
    required: false,
    description:
      'External identifier of the employee: a known one is matched and stays as it is, otherwise it is made. Absent: the next free one of the form `M-000001`.',
  })
  idExterne?: string | null;

  @Input({ ...EMPLOYE_FIELDS.prenom, ...kept })
  prenom?: string;

  @Input({ ...EMPLOYE_FIELDS.nom, ...kept })
  nom?: string;

  @Input({ ...EMPLOYE_FIELDS.courriel, ...kept })
  courriel?: string;
}

/** What a confirmation made. */
export class ConfirmationItem {
  @Shown({ ...idExterne, always: true })
  idExterne: string;

  @Shown({ ...idUniqueAdhesion, description: 'The card (GUID).', always: true, format: 'uuid' })
  adhesionId: string;
}

/** Body of a rejection. */
export class RejetInput {
  @Input(raison)
  raison: string;
}
