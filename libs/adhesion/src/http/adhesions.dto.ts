import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import {
  EMPLOYE_FIELDS,
  EmployeItem,
  PERSONNE_FIELDS,
  VALEURS_V2_ITEMS,
  type ValeurV2Item,
  ValeursV2,
} from '#membership';
import { Input, Shown } from '#shared/http/field.decorator';
import { ItemOf } from '#shared/http/record-classes';
import { PagingQuery } from '#shared/http/listing';
import { given, givenId, omit } from '#shared/records/field';

import { SIGNING_FIELDS } from '../domain/signing.fields';
import { EXAMPLE_IDS } from './examples';

export const idUniqueAdhesion = givenId(
  'Identifier of the card given by the service (GUID).',
  EXAMPLE_IDS.adhesion,
);
export const aSignatureManuscripte = {
  description: 'Whether a handwritten signature was captured.',
  example: true,
};
/** The fields of a signing as answers show them. */
export const SIGNED = {
  dateSignature: { ...SIGNING_FIELDS.dateSignature, always: true, description: 'When it was signed (UTC).' },
  syndicatIdExterne: {
    ...SIGNING_FIELDS.syndicatIdExterne,
    description: 'External identifier of the union.',
  },
} as const;
export const syndicatNom = given('Name of the union, as it is now.', 'Syndicat des aciéristes');
const courriel = { ...PERSONNE_FIELDS.courriel, always: true } as const;
const apres = {
  kind: 'date',
  description:
    'Only cards signed at this time or later (inclusive, to the millisecond). A request that is confirmed becomes a card with the date of its signature, perhaps long ago: the event `adhesion.signee` tells of each card when it is made.',
  example: '2026-01-01T00:00:00Z',
} as const;

/** A signed card as V1 shows it, with the employee as it is now. */
export class AdhesionV1Item {
  @Shown(SIGNED.dateSignature)
  dateSignature: string;

  @Shown({ ...courriel, shown: 'E-mail address as signed.' })
  courriel: string;

  @Shown(idUniqueAdhesion)
  idUnique: string;

  @Shown({ ...idUniqueAdhesion, description: 'The same as `idUnique`.', always: true, format: 'uuid' })
  idUniqueAdhesion: string;

  @Shown(SIGNING_FIELDS.transactionId)
  transactionId: string | null;

  @ApiProperty(aSignatureManuscripte)
  aSignatureManuscripte: boolean;

  @Shown(SIGNED.syndicatIdExterne)
  syndicatIdExterne: string;

  @Shown(syndicatNom)
  syndicatNom: string;

  @ApiProperty({ type: EmployeItem, description: 'The employee as it is now.' })
  employe: EmployeItem;
}

/** What cards and requests both show of the member, as signed. */
@ApiExtraModels(...VALEURS_V2_ITEMS)
export class AsSignedItem extends ItemOf({
  ...omit(PERSONNE_FIELDS, 'prenom', 'nom', 'noMembre'),
  courriel,
}) {
  @ValeursV2('Custom values as signed, each in the shape that its `type` says.')
  valeursChampUtilisateur: ValeurV2Item[];
}

/** A signed card as V2 shows it: the member’s data as signed. */
export class AdhesionV2Item extends AsSignedItem {
  @Shown(SIGNED.dateSignature)
  dateSignature: string;

  @Shown(idUniqueAdhesion)
  idUniqueAdhesion: string;

  @Shown(SIGNING_FIELDS.transactionId)
  transactionId: string | null;

  @ApiProperty(aSignatureManuscripte)
  aSignatureManuscripte: boolean;

  @Shown(SIGNED.syndicatIdExterne)
  syndicatIdExterne: string;

  @Shown(syndicatNom)
  syndicatNom: string;

  @Shown(EMPLOYE_FIELDS.idExterne)
  employeIdExterne: string;

  @Shown(EMPLOYE_FIELDS.idUnique)
  employeIdUnique: string;

  @Shown(EMPLOYE_FIELDS.prenom)
  employePrenom: string;

  @Shown(EMPLOYE_FIELDS.nom)
  employeNom: string;
}

/** Filters of V1’s list of an employee’s cards. */
export class AdhesionV1OfEmployeList extends PagingQuery {
  @Input(apres)
  apres?: Date;
}

/** Filters of V1’s list of cards. */
export class AdhesionV1List extends AdhesionV1OfEmployeList {
  @Input({ ...EMPLOYE_FIELDS.idExterne, required: false, description: 'Only cards of this employee.' })
  idExterne?: string;
}

/** Filters of V2’s lists of cards. */
export class AdhesionV2List extends PagingQuery {
  @Input(apres)
  apres?: Date;

  @Input({
    kind: 'date',
    description: 'Only cards signed at this time or before (inclusive, to the millisecond).',
    example: '2030-12-31T23:59:59.999Z',
  })
  avant?: Date;

  @Input({ ...SIGNING_FIELDS.syndicatIdExterne, required: false, description: 'Only cards of this union.' })
  idExterneSyndicat?: string;

  @Input({ ...EMPLOYE_FIELDS.idExterne, required: false, description: 'Only cards of this employee.' })
  idExterneEmploye?: string;

  @Input({
    ...EMPLOYE_FIELDS.noMembre,
    description:
      'Only cards with this member number: the one that was signed or, where none was, the one that the employee had then.',
  })
  noMembre?: string;

  @Input({
    kind: 'boolean',
    description: 'Only cards with a handwritten signature (true), or without one (false).',
    example: true,
  })
  aSignatureManuscrite?: boolean;

  @Input({
    kind: 'boolean',
    description: 'Only cards linked to a payment (true), or to none (false).',
    example: false,
  })
  avecPaiement?: boolean;
}

/** The cards that a deletion by member is about. */
export class AdhesionsOfMember {
  @Input({ ...SIGNING_FIELDS.syndicatIdExterne, required: false, description: 'Only cards of this union.' })
  idExterneSyndicat?: string;
}

/** What a deletion by member did. */
export class AdhesionsDeletedItem {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many cards were deleted.', example: 1 })
  nombreSupprime: number;
}

/** The image of a handwritten signature, of a card. */
export class SignatureAdhesionItem {
  @Shown(idUniqueAdhesion)
  idUniqueAdhesion: string;

  @Shown(SIGNED.dateSignature)
  dateSignature: string;

  @ApiProperty({
    description: 'The PNG image as a data URL, byte for byte as it was signed.',
    example: SIGNING_FIELDS.imageSignature.example,
  })
  imageSignature: string;
}

/** The image of an employee’s most recent handwritten signature. */
export class SignatureEmployeItem extends SignatureAdhesionItem {
  @Shown({ ...EMPLOYE_FIELDS.idExterne, shown: 'External identifier of the employee, as sent.' })
  idExterne: string;
}

/** Data of the event `adhesion.supprimee`: which card is gone. */
export class AdhesionSupprimeeData {
  @Shown(idUniqueAdhesion)
  idUniqueAdhesion: string;

  @Shown(SIGNED.dateSignature)
  dateSignature: string;

  @Shown(SIGNED.syndicatIdExterne)
  syndicatIdExterne: string;

  @Shown({
    ...SIGNING_FIELDS.employeIdExterne,
    shown: 'External identifier of the employee.',
    always: true,
  })
  employeIdExterne: string;

  @Shown(EMPLOYE_FIELDS.idUnique)
  employeIdUnique: string;
}
