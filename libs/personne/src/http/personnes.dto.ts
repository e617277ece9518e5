import { ApiProperty } from '@nestjs/swagger';
import { Input } from '#platform/input/field.decorator';

/** Rows of each kind as they are stored, with the wire's names of columns. */
const SECTIONS = {
  employe: 'The employee: one row, or none if the partner has deleted the employee.',
  anciensEmployes:
    'Notes about deletions of the employee by the partner: the ids that the employee had, and the ids of voters and requests that stayed.',
  anciensIdentifiants: 'External identifiers that the employee had in the last 400 days.',
  valeursChampUtilisateur: 'Custom values of the employee.',
  emplois: 'Employments.',
  appartenances: 'Memberships in unions.',
  changements: 'Changes to the employee, its employments and memberships in the feed.',
  consentements: 'The history of consents.',
  adhesions: 'Signed cards, as they were signed.',
  signatures: 'Handwritten signatures, of cards and of requests: `png` is a data URL.',
  paiements: 'Payments linked to cards.',
  autorisationsPaiement: 'Authorizations of payments linked to cards.',
  demandesAdhesion:
    'Membership requests of the employee, and requests without an employee that have the same names and address.',
  consentementsDemandes: 'Consents given with membership requests.',
  votants:
    'Voters of campaigns: those of the employee, and those without an employee that have the same names and address. They show whether the person has voted. Ballots do not reference voters.',
  votantsEcartes: 'Campaigns of which a voter of the employee was deleted.',
  listesElectorales: 'Electoral lists whose criteria name the employee, without other names.',
  evenements: 'Events of the last 30 days with data of the employee.',
  changementsDePlans: 'What plans of the last 24 h would change of the employee.',
  taches: 'Syncs of the last 7 days with an error about the employee, without their results.',
  resultatsTaches:
    'Parts of long results of these syncs with an error about the employee, without their text.',
  reponsesEnregistrees: 'Responses recorded for an `Idempotency-Key`, without their bodies.',
  courriels: 'E-mails of the last 30 days that went to the employee or to one of the voters.',
  journal: 'Entries of the audit trail about any of the above.',
};

/** All stored data about one employee. */
export class DonneesPersonnellesItem {}

for (const [section, description] of Object.entries(SECTIONS))
  ApiProperty({ description, type: 'array', items: { type: 'object', additionalProperties: true } })(
    DonneesPersonnellesItem.prototype,
    section,
  );

/** Query of both operations on a person. */
export class PersonneQuery {
  @Input({
    kind: 'boolean',
    description:
      '`true` means the persons who had this external identifier until the partner deleted them, although an employee has it now. Without an employee, these are meant in any case.',
    example: false,
  })
  supprime?: boolean;
}
