import { givenId, type RecordOf, text } from '#platform/input/field';

export const QUESTION_TYPES = ['Proposition', 'ChoixLibre', 'Election'] as const;

/** The most options of a question, and thus of an answer. */
export const MOST_OPTIONS = 500;
/** The most questions of a campaign. */
export const MOST_QUESTIONS = 200;

const ordre = {
  kind: 'integer',
  min: 1,
  max: MOST_OPTIONS,
  example: 1,
} as const;

const LIBELLE = text(500, { required: true, description: 'What can be chosen.', example: 'Ariane Lapointe' });
const DESCRIPTION = text(10_000, { description: 'Plain text beside it.', example: 'Trésorière depuis 2022' });

/** An option of a question (docs/contract.md, "Questions and options"). */
export const OPTION_FIELDS = {
  Libelle: LIBELLE,
  Description: DESCRIPTION,
  Ordre: {
    ...ordre,
    description: 'Place among the options, from 1. Absent: the last place, or the one that it has.',
  },
  Id: givenId('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c31'),
} as const;

/** An option inside its question. */
export const NESTED_OPTION_FIELDS = {
  Id: text(36, {
    format: 'uuid',
    description: 'The option that is meant, where the question has it already. Ignored at its creation.',
    example: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c31',
  }),
  Libelle: LIBELLE,
  Description: DESCRIPTION,
  Ordre: { ...ordre, description: 'Place among the options; that in the list if absent.' },
} as const;

const COUNT = { kind: 'integer', min: 1, max: MOST_OPTIONS } as const;

/** A question (docs/contract.md, "Questions and options"). */
export const QUESTION_FIELDS = {
  Titre: text(500, {
    required: true,
    description: 'The question.',
    example: 'Qui voulez-vous à la présidence ?',
  }),
  Description: text(10_000, { description: 'Plain text below it.', example: 'Mandat de deux ans.' }),
  Type: {
    kind: 'choice',
    values: QUESTION_TYPES,
    required: true,
    description:
      'Proposition: for or against. ChoixLibre: a choice among options. Election: of persons, for `NombreElus` seats.',
    example: 'Election',
  },
  Ordre: {
    ...ordre,
    max: MOST_QUESTIONS,
    description: 'Place among the questions, from 1. Absent: the last place, or the one that it has.',
  },
  EstPreferentiel: {
    kind: 'boolean',
    shown: 'Whether options are ranked.',
    always: true,
    description: 'Whether options are ranked; not of a Proposition. False if absent.',
    example: false,
  },
  OrdreReponsesAleatoire: {
    kind: 'integer',
    min: 0,
    max: 2,
    shown: 'Random order of options: 0 as the campaign says, 1 fixed order, 2 random order.',
    always: true,
    description:
      'Random order of options: 0 as the campaign says, 1 fixed order, 2 random order. 0 if absent.',
    example: 0,
  },
  MinReponses: {
    ...COUNT,
    shown: 'The fewest options that an answer names, or ranks.',
    always: true,
    description: 'The fewest options that an answer names, or ranks. 1 if absent.',
    example: 1,
  },
  MaxReponses: {
    ...COUNT,
    shown: 'The most options that an answer names, or ranks; null where all of them may be ranked.',
    description:
      'The most options that an answer names, or ranks. If absent: all of them where options are ranked, as many as are elected in an Election, else 1.',
    example: 1,
  },
  NombreElus: {
    ...COUNT,
    shown: 'Seats of an Election; null of other types.',
    description: 'Seats of an Election. 1 if absent; of other types null.',
    example: 1,
  },
  Options: {
    kind: 'records',
    of: NESTED_OPTION_FIELDS,
    max: MOST_OPTIONS,
    description:
      'What can be chosen. A Proposition without any gets Pour and Contre. In a PUT they take the place of all options: those with the `Id` of one change it, others are new; absent, all stay as they are.',
  },
  Id: givenId('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c21'),
} as const;

export type OptionRecord = RecordOf<typeof OPTION_FIELDS>;
export type NestedOptionRecord = RecordOf<typeof NESTED_OPTION_FIELDS>;
export type QuestionRecord = RecordOf<typeof QUESTION_FIELDS>;

/** How a preferential question is counted. */
export const METHODES = [
  'VoteAlternatif',
  'VoteUniqueTransferable',
  'VoteUniqueTransferableArrondi',
] as const;
export type Methode = (typeof METHODES)[number];
