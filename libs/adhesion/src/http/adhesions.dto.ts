import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import {
  EMPLOYE_FIELDS,
  EmployeItem,
  PERSONNE_FIELDS,
  VALEURS_V2_ITEMS,
  type ValeurV2Item,
  ValeursV2,
} from '#membership';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { PagingQuery } from '#platform/http/listing';
import { given, givenId, omit } from '#platform/input/field';
import { SIGNING_FIELDS } from '../domain/signing.fields';
import { EXAMPLE_IDS } from './examples';

export const idUniqueAdhesion = givenId(
  'Identifier of the card given by the service (GUID).',
  EXAMPLE_IDS.adhesion,
);
export const aSignatureManuscripte = {
  kind: 'boolean',
  required: true,
  description: 'Whether a handwritten signature was captured.',
  example: true,
} as const;
/** The fields of a signing in responses. */
export const SIGNED = {
  dateSignature: { ...SIGNING_FIELDS.dateSignature, always: true, description: 'When it was signed (UTC).' },
  transactionId: SIGNING_FIELDS.transactionId,
  aSignatureManuscripte,
  syndicatIdExterne: {
    ...SIGNING_FIELDS.syndicatIdExterne,
    description: 'External identifier of the union.',
  },
  syndicatNom: given('Name of the union, as it is now.', 'Syndicat des aciéristes'),
} as const;
const { dateSignature, transactionId, ...signedWith } = SIGNED;
const courriel = { ...PERSONNE_FIELDS.courriel, always: true } as const;
const apres = {
  kind: 'date',
  description:
    'Only cards signed at this time or later (inclusive, to the millisecond). The card of a confirmed request has the date of its signature, which can be much earlier; the event `adhesion.signee` announces each card when it is created.',
  example: '2026-01-01T00:00:00Z',
} as const;

/** A signed card as V1 shows it, with the employee as it is now. */
export class AdhesionV1Item extends ItemOf({
  dateSignature,
  courriel: { ...courriel, shown: 'E-mail address as signed.' },
  idUnique: idUniqueAdhesion,
  idUniqueAdhesion: { ...idUniqueAdhesion, description: 'The same as `idUnique`.' },
  transactionId,
  ...signedWith,
}) {
  @ApiProperty({ type: EmployeItem, description: 'The employee as it is now.' })
  employe: EmployeItem;
}

/** Data of the member as signed, in cards and requests. */
@ApiExtraModels(...VALEURS_V2_ITEMS)
export class AsSignedItem extends ItemOf({
  ...omit(PERSONNE_FIELDS, 'prenom', 'nom', 'noMembre'),
  courriel,
}) {
  @ValeursV2('Custom values as signed, each in the shape that its `type` says.')
  valeursChampUtilisateur: ValeurV2Item[];
}

/** A signed card as V2 shows it: the member’s data as signed. */
export class AdhesionV2Item extends ItemOf(
  {
    dateSignature,
    idUniqueAdhesion,
    transactionId,
    ...signedWith,
    employeIdExterne: EMPLOYE_FIELDS.idExterne,
    employeIdUnique: EMPLOYE_FIELDS.idUnique,
    employePrenom: EMPLOYE_FIELDS.prenom,
    employeNom: EMPLOYE_FIELDS.nom,
  },
  {},
  AsSignedItem,
) {}

const idExterneSyndicat = {
  ...SIGNING_FIELDS.syndicatIdExterne,
  required: false,
  description: 'Only cards of this union.',
} as const;
const idExterneEmploye = {
  ...EMPLOYE_FIELDS.idExterne,
  required: false,
  description: 'Only cards of this employee.',
} as const;

/** Filters of V1’s list of an employee’s cards. */
export class AdhesionV1OfEmployeList extends InputOf({ apres }, {}, PagingQuery) {}

/** Filters of V1’s list of cards. */
export class AdhesionV1List extends InputOf({ apres, idExterne: idExterneEmploye }, {}, PagingQuery) {}

/** Filters of V2’s lists of cards. */
export class AdhesionV2List extends InputOf(
  {
    apres,
    avant: {
      kind: 'date',
      description: 'Only cards signed at this time or before (inclusive, to the millisecond).',
      example: '2030-12-31T23:59:59.999Z',
    },
    idExterneSyndicat,
    idExterneEmploye,
    noMembre: {
      ...EMPLOYE_FIELDS.noMembre,
      description:
        'Only cards with this member number: the one that was signed or, where none was, the one that the employee had then.',
    },
    aSignatureManuscrite: {
      kind: 'boolean',
      description: 'Only cards with a handwritten signature (true), or without one (false).',
      example: true,
    },
    avecPaiement: {
      kind: 'boolean',
      description: 'Only cards linked to a payment (true), or to none (false).',
      example: false,
    },
  },
  {},
  PagingQuery,
) {}

/** The cards that a deletion by member is about. */
export class AdhesionsOfMember extends InputOf({ idExterneSyndicat }) {}

/** Result of a deletion by member. */
export class AdhesionsDeletedItem {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many cards were deleted.', example: 1 })
  nombreSupprime: number;
}

/** The image of a handwritten signature, of a card. */
export class SignatureAdhesionItem extends ItemOf({ idUniqueAdhesion, dateSignature }) {
  @ApiProperty({
    description: 'The PNG image as a data URL, byte for byte as it was signed.',
    example: SIGNING_FIELDS.imageSignature.example,
  })
  imageSignature: string;
}

/** The image of an employee’s most recent handwritten signature. */
export class SignatureEmployeItem extends ItemOf(
  { idExterne: { ...EMPLOYE_FIELDS.idExterne, shown: 'External identifier of the employee, as sent.' } },
  {},
  SignatureAdhesionItem,
) {}

/** Data of the event `adhesion.supprimee`: which card is gone. */
export class AdhesionSupprimeeData extends ItemOf({
  idUniqueAdhesion,
  dateSignature,
  syndicatIdExterne: SIGNED.syndicatIdExterne,
  employeIdExterne: {
    ...SIGNING_FIELDS.employeIdExterne,
    shown: 'External identifier of the employee.',
    always: true,
  },
  employeIdUnique: EMPLOYE_FIELDS.idUnique,
}) {}
