import { givenId, identifier, readOnlyOf, type RecordOf, text } from '#platform/input/field';

/** The largest count of persons or votes: the maximum of PostgreSQL's integer. */
export const MOST_PERSONS = 2_147_483_647;

/** A meeting (docs/contract.md, "Meetings"). */
export const SEANCE_FIELDS = {
  titre: text(255, {
    required: true,
    description: 'Title of the meeting; several may have the same.',
    example: 'Assemblée générale annuelle 2026',
  }),
  date: {
    kind: 'date',
    required: true,
    shown: 'When the meeting is held (UTC).',
    description: 'When the meeting is held.',
    example: '2026-05-14T23:00:00.000Z',
  },
  syndicatIdExterne: identifier({
    shown: 'External identifier of the union that meets; null if the meeting is not of a single union.',
    description:
      'External identifier of the union that meets; it must exist. Absent if the meeting is not of a single union.',
    example: 'SYN-10',
  }),
  quorum: {
    kind: 'integer',
    min: 1,
    max: MOST_PERSONS,
    description:
      'Persons who must be present for the meeting to decide. Absent if there is no quorum. The participation contains it.',
    example: 25,
  },
  seanceId: givenId('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4e01'),
  points: {
    kind: 'readOnly',
    isList: true,
    description: 'Points of the agenda, in their order; added one by one.',
  },
} as const;

/** Filters of the list of meetings; those given hold together. */
export const SEANCE_FILTER_FIELDS = {
  syndicatIdExterne: {
    ...SEANCE_FIELDS.syndicatIdExterne,
    description: 'Meetings of this union; none if the union is unknown.',
    renames: ['idExterneSyndicat'],
  },
  apres: {
    kind: 'date',
    description: 'Meetings of this date or later (`date`, inclusive).',
    example: '2026-01-01T00:00:00Z',
  },
  avant: {
    kind: 'date',
    description: 'Meetings of this date or earlier (`date`, inclusive).',
    example: '2026-12-31T23:59:59Z',
  },
} as const;

const PERSONS = { kind: 'integer', min: 0, max: MOST_PERSONS } as const;

/** Numbers of persons at a meeting (docs/contract.md, "Meetings"). */
export const PRESENCES_FIELDS = {
  inscrits: {
    ...PERSONS,
    required: true,
    description: 'Persons who may take part. 0 until presences are recorded.',
    example: 120,
  },
  presents: {
    ...PERSONS,
    required: true,
    description: 'Persons among them who are present. 0 until presences are recorded.',
    example: 87,
  },
  votants: {
    ...PERSONS,
    description:
      'Persons among those present who have voted. 0 until presences are recorded; null if they were not counted.',
    example: 84,
  },
  tauxParticipation: readOnlyOf(
    'number',
    'Participation: votants ÷ inscrits × 100, rounded half up to two decimals; 0 if `inscrits` is 0, null if `votants` is null.',
    70,
  ),
  quorum: readOnlyOf(
    'integer',
    'Persons who must be present for the meeting to decide; null if there is no quorum.',
    25,
  ),
  quorumAtteint: readOnlyOf(
    'boolean',
    'Whether `presents` reaches the quorum; null if there is no quorum.',
    true,
  ),
} as const;

export type SeanceFilter = RecordOf<typeof SEANCE_FILTER_FIELDS>;
export type SeanceRecord = RecordOf<typeof SEANCE_FIELDS>;
export type PresencesRecord = RecordOf<typeof PRESENCES_FIELDS>;
