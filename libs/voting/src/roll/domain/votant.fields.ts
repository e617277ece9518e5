import { givenOf, identifier, readOnly, type RecordOf, text } from '#platform/input/field';

/** A voter on the roll of a campaign (docs/contract.md, "Voters"). */
export const VOTANT_FIELDS = {
  VotantId: text(36, {
    format: 'uuid',
    shown: 'Identifier given by the service (GUID).',
    always: true,
    description: 'The voter to change. If absent or null, a new voter is created.',
    example: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c41',
  }),
  Identifiant: identifier({
    shown: 'Identifier of the partner’s.',
    description: 'Identifier of the partner’s, unique in the campaign.',
    example: 'ELECTEUR-00017',
  }),
  Prenom: text(255, {
    shown: 'First name.',
    always: true,
    description:
      'First name. Required for a new voter who is not an employee; if absent or null, the employee’s.',
    example: 'Marie-Ève',
  }),
  Nom: text(255, {
    shown: 'Last name.',
    always: true,
    description:
      'Last name. Required for a new voter who is not an employee; if absent or null, the employee’s.',
    example: "L'Écuyer",
  }),
  Courriel: text(255, {
    format: 'email',
    shown: 'E-mail address.',
    description: 'E-mail address. A new voter without it gets the address of the employee.',
    example: 'marie-eve.lecuyer@example.org',
  }),
  EmployeIdExterne: identifier({
    shown: 'The employee; null for voters who are not employees, and after the employee was deleted.',
    description: 'External identifier of the employee. An employee is a voter of a campaign only once.',
    example: 'E-1001',
  }),
  SyndicatIdExterne: identifier({
    shown: 'The union for which this voter counts.',
    description: 'External identifier of the union for which this voter counts; it must exist.',
    example: 'SYN-10',
  }),
  EmployeurIdentifiantExterne: identifier({
    shown: 'The employer for which this voter counts.',
    description: 'External identifier of the employer for which this voter counts; it must exist.',
    example: 'EMP-100',
  }),
  ADroitDeVote: {
    kind: 'boolean',
    shown: 'Whether this voter may vote.',
    always: true,
    description: 'Whether this voter may vote. True for a new voter if absent.',
    example: true,
  },
  AVote: givenOf('boolean', 'Whether this voter has voted. The time is not stored.', false),
  Poids: {
    kind: 'decimal',
    max: 1_000_000,
    decimals: 4,
    description: 'Weight of the ballot, as a number or as text. 1 for a new voter if absent.',
    example: 1,
  },
  EtatCourriel: readOnly(
    'State of the campaign’s last email to the voter, as in `GET /b2b/v2/courriel/{id}/destinataires`; null without one in the last 30 days.',
    'Rejete',
  ),
  StatutCourriel: readOnly('Status code (RFC 3463) that the relay reported about that email.', '5.1.1'),
  RaisonCourriel: readOnly('Class of `StatutCourriel`, such as `Adresse`.', 'Adresse'),
} as const;

export type VotantRecord = RecordOf<typeof VOTANT_FIELDS>;
