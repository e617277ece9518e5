import { given, givenId, givenOf, readOnly, readOnlyOf, type RecordOf, text } from '#platform/input/field';
import { MOST_PERSONS } from './seance.fields';

/** Ways to vote in session: by name or in secret. */
export const TYPES_VOTE = ['nominal', 'secret'] as const;
export type TypeVote = (typeof TYPES_VOTE)[number];

/** Majorities that a proposal may need (docs/contract.md, "Meetings"). */
export const MAJORITES = ['simple', 'absolue', 'deuxTiers'] as const;
export type Majorite = (typeof MAJORITES)[number];

/** The last place on an agenda. Places are unique, so this is also the maximum number of points. */
export const LAST_ORDRE = 1_000;

/** The largest total of weights. Every JSON reader keeps all four decimals of a number of this size. */
export const MOST_POIDS = 10_000_000_000;

const NEEDED =
  'Majority that the proposal needs, by weight. simple: more for than against. absolue: more than half of all votes, including abstentions. deuxTiers: at least two thirds of the votes for and against.';

/** A point of the agenda of a meeting (docs/contract.md, "Meetings"). */
export const POINT_FIELDS = {
  titre: text(500, {
    required: true,
    description: 'What the point is about.',
    example: 'Hausse de la cotisation',
  }),
  ordre: {
    kind: 'integer',
    min: 1,
    max: LAST_ORDRE,
    required: true,
    shown: 'Place on the agenda.',
    description: 'Place on the agenda, from 1; no two points of a meeting have the same.',
    example: 4,
  },
  votable: {
    kind: 'boolean',
    required: true,
    description: 'Whether the point is put to the vote.',
    example: true,
  },
  typeVote: {
    kind: 'choice',
    values: TYPES_VOTE,
    shown: 'How the vote is held: by name (nominal) or secret; null if the point has no vote.',
    description:
      'How the vote is held: by name (nominal) or secret. Only for a votable point; secret if absent. Both store totals only.',
    example: 'secret',
  },
  majorite: {
    kind: 'choice',
    values: MAJORITES,
    shown: 'Majority that the proposal needs, by weight; null if the point has no vote.',
    description: `${NEEDED} Only for a votable point; simple if absent.`,
    example: 'simple',
  },
  pointId: givenId('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4e11'),
} as const;

const VOTES = { kind: 'integer', min: 0, max: MOST_PERSONS, required: true } as const;
const POIDS = { kind: 'decimal', max: MOST_POIDS, decimals: 4, orZero: true } as const;
const BY_COUNT = 'the count if absent; 0 if and only if the count is 0';

/** The result of a vote in session: totals and nothing of persons (docs/contract.md, "Meetings"). */
export const RESULTAT_FIELDS = {
  pour: { ...VOTES, description: 'Votes for the proposal.', example: 52 },
  contre: { ...VOTES, description: 'Votes against it.', example: 27 },
  abstentions: { ...VOTES, description: 'Abstentions.', example: 5 },
  poidsPour: {
    ...POIDS,
    description: `Exact total weight of the votes for, as a number or as text; ${BY_COUNT}.`,
    example: 61.5,
  },
  poidsContre: {
    ...POIDS,
    description: `Exact total weight of the votes against; ${BY_COUNT}.`,
    example: 30.25,
  },
  poidsAbstentions: {
    ...POIDS,
    description: `Exact total weight of the abstentions; ${BY_COUNT}.`,
    example: 5,
  },
  pointId: POINT_FIELDS.pointId,
  titre: given('What the point is about.', 'Adoption des états financiers'),
  ordre: givenOf('integer', 'Place on the agenda.', 2),
  typeVote: readOnly('How the vote was held.', 'secret'),
  adopte: readOnlyOf(
    'boolean',
    'Whether the proposal has the majority that it needs, by weight; computed when the result is recorded. A proposal without votes for it is never adopted.',
    true,
  ),
  majorite: readOnly(NEEDED, 'simple'),
} as const;

export type PointRecord = RecordOf<typeof POINT_FIELDS>;
export type ResultatRecord = RecordOf<typeof RESULTAT_FIELDS>;
