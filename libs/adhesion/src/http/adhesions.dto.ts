import { ApiExtraModels } from '@nestjs/swagger';
import { EMPLOYE_FIELDS, EmployeItem, PERSONNE_FIELDS, VALEURS_V2_ITEMS, valeursV2 } from '#membership';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { CsvPagingQuery } from '#platform/http/csv';
import { given, givenId, omit, pick } from '#platform/input/field';
import { value } from '#platform/input/values';
import { ADHESION_FILTERS, ADHESION_V1_FILTERS } from '../domain/adhesion.fields';
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

/** A signed card as V1 shows it, with the employee as it is now. */
export class AdhesionV1Item extends ItemOf({
  dateSignature,
  courriel: { ...courriel, shown: 'E-mail address as signed.' },
  idUnique: idUniqueAdhesion,
  idUniqueAdhesion: { ...idUniqueAdhesion, description: 'The same as `idUnique`.' },
  transactionId,
  ...signedWith,
  employe: value.one(EmployeItem, 'The employee as it is now.'),
}) {}

const AS_SIGNED = {
  courriel,
  ...omit(PERSONNE_FIELDS, 'prenom', 'nom', 'noMembre', 'courriel'),
  valeursChampUtilisateur: valeursV2('Custom values as signed, each in the shape that its `type` says.'),
} as const;

/** Data of the member as signed, in cards and requests. */
@ApiExtraModels(...VALEURS_V2_ITEMS)
export class AsSignedItem extends ItemOf(AS_SIGNED) {}

/** A signed card as V2 shows it: the member’s data as signed. */
@ApiExtraModels(...VALEURS_V2_ITEMS)
export class AdhesionV2Item extends ItemOf({
  dateSignature,
  idUniqueAdhesion,
  transactionId,
  ...signedWith,
  employeIdExterne: EMPLOYE_FIELDS.idExterne,
  employeIdUnique: EMPLOYE_FIELDS.idUnique,
  employePrenom: EMPLOYE_FIELDS.prenom,
  employeNom: EMPLOYE_FIELDS.nom,
  ...AS_SIGNED,
}) {}

/** Filters of V1’s list of an employee’s cards. */
export class AdhesionV1OfEmployeList extends InputOf(
  omit(ADHESION_V1_FILTERS, 'idExterne'),
  {},
  CsvPagingQuery,
) {}

/** Filters of V1’s list of cards. */
export class AdhesionV1List extends InputOf(ADHESION_V1_FILTERS, {}, CsvPagingQuery) {}

/** Filters of V2’s lists of cards. */
export class AdhesionV2List extends InputOf(ADHESION_FILTERS, {}, CsvPagingQuery) {}

/** The cards that a deletion by member is about. */
export class AdhesionsOfMember extends InputOf(pick(ADHESION_FILTERS, 'idExterneSyndicat')) {}

/** Result of a deletion by member. */
export class AdhesionsDeletedItem extends ItemOf({
  nombreSupprime: value.integer('How many cards were deleted.', 1, { minimum: 0 }),
}) {}

/** The image of a handwritten signature, of a card. */
export class SignatureAdhesionItem extends ItemOf({
  idUniqueAdhesion,
  dateSignature,
  imageSignature: value.text(
    'The PNG image as a data URL, byte for byte as it was signed.',
    SIGNING_FIELDS.imageSignature.example,
  ),
}) {}

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
