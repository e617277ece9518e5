import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

/** Rows of one kind, as they are stored: their columns under the names of the wire. */
function Rows(description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ description, type: 'array', items: { type: 'object', additionalProperties: true } }),
  );
}

/** All that is held about one employee. */
export class DonneesPersonnellesItem {
  @Rows('The employee: one row.')
  employe: object[];

  @Rows('Custom values of the employee.')
  valeursChampUtilisateur: object[];

  @Rows('Employments.')
  emplois: object[];

  @Rows('Memberships in unions.')
  appartenances: object[];

  @Rows('The history of consents.')
  consentements: object[];

  @Rows('Signed cards, as they were signed.')
  adhesions: object[];

  @Rows('Handwritten signatures, of cards and of requests: `png` is a data URL.')
  signatures: object[];

  @Rows('Payments linked to cards.')
  paiements: object[];

  @Rows('Authorizations of payments linked to cards.')
  autorisationsPaiement: object[];

  @Rows('Membership requests: of the employee, and those of nobody known with the same names and address.')
  demandesAdhesion: object[];

  @Rows('Consents given with membership requests.')
  consentementsDemandes: object[];

  @Rows(
    'Places on the rolls of campaigns: of the employee, and those of nobody known with the same names and address. Whether somebody has voted is part of it; what, nobody knows.',
  )
  votants: object[];

  @Rows('Electoral lists that name the employee among their criteria; other names are left out.')
  listesElectorales: object[];

  @Rows('Events of the last 30 days with data of the employee.')
  evenements: object[];

  @Rows('Syncs of the last 7 days that said something about the employee, without what they said of others.')
  taches: object[];

  @Rows('Answers recorded for an `Idempotency-Key`, without what they said.')
  reponsesEnregistrees: object[];

  @Rows('E-mails of the last 30 days that went to the employee or to one of the voters.')
  courriels: object[];

  @Rows('Entries of the audit trail about any of the above.')
  journal: object[];
}
