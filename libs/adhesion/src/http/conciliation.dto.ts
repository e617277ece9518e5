import { EMPLOYE_FIELDS } from '#membership';
import { PagingQuery } from '#platform/http/listing';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { givenId, givenTime, pick, readOnly } from '#platform/input/field';
import type { ContactOverrides } from '../application/conciliation.service';
import { raison, statut } from '../domain/conciliation.fields';
import { SIGNING_FIELDS } from '../domain/signing.fields';
import { AsSignedItem, idUniqueAdhesion, SIGNED } from './adhesions.dto';
import { EXAMPLE_IDS } from './examples';
import { ContactInput } from './signing.dto';

const idExterne = readOnly(
  'External identifier of the employee whom the confirmation made or matched.',
  'M-000001',
);

/** A membership request: a card signed by an unknown person. */
export class DemandeItem extends ItemOf(
  {
    demandeId: givenId('Identifier of the request (GUID).', EXAMPLE_IDS.demande),
    statut,
    ...SIGNED,
    employeIdExterne: {
      ...SIGNING_FIELDS.employeIdExterne,
      shown: 'What was sent as the employee; it named nobody.',
    },
    ...pick(EMPLOYE_FIELDS, 'prenom', 'nom', 'noMembre'),
    dateCreation: givenTime('When the request came (UTC).', '2026-03-02T14:05:09.120Z'),
    dateDecision: {
      ...readOnly('When it was decided (UTC); null while it waits.', null),
      format: 'date-time',
    },
    raison: { ...raison, required: false, description: 'Why it was rejected.', example: null },
    idExterne: { ...idExterne, example: null },
    adhesionId: {
      ...idUniqueAdhesion,
      always: false,
      description: 'The card that it became (GUID).',
      example: null,
    },
  },
  {},
  AsSignedItem,
) {}

export class ConciliationList extends InputOf(
  {
    statut: {
      ...statut,
      required: false,
      description: 'Only requests in this state; `ATransferer` if absent.',
    },
  },
  {},
  PagingQuery,
) {}

const kept = { required: false, neverNull: true } as const;

/** Body of a confirmation, which may be left out. A contact field that is absent stays as signed; null clears one that may be empty. */
export class ConfirmationInput
  extends InputOf(
    {
      idExterne: {
        ...EMPLOYE_FIELDS.idExterne,
        required: false,
        description:
          'External identifier of the employee: a known one is matched and stays as it is, otherwise it is made. Absent: the next free one of the form `M-000001`.',
      },
      prenom: { ...EMPLOYE_FIELDS.prenom, ...kept },
      nom: { ...EMPLOYE_FIELDS.nom, ...kept },
      courriel: { ...EMPLOYE_FIELDS.courriel, ...kept },
    },
    {},
    ContactInput,
  )
  implements ContactOverrides
{
  static readonly mayBeAbsent = true;
}

/** The records that a confirmation made. */
export class ConfirmationItem extends ItemOf({
  idExterne: { ...idExterne, always: true },
  adhesionId: { ...idUniqueAdhesion, description: 'The card (GUID).' },
}) {}

/** Body of a rejection. */
export class RejetInput extends InputOf({ raison }) {}
