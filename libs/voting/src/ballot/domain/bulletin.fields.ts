import { type RecordOf, text } from '#platform/input/field';
import { MOST_OPTIONS, MOST_QUESTIONS } from '../../structure/domain/question.fields';

/** The answer to one question. */
export const REPONSE_FIELDS = {
  QuestionId: text(36, {
    required: true,
    format: 'uuid',
    description: 'The question that is answered.',
    example: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c21',
  }),
  Options: {
    kind: 'texts',
    max: MOST_OPTIONS,
    length: 36,
    format: 'uuid',
    description:
      'What is chosen: between `MinReponses` and `MaxReponses` options of the question; where it is preferential, the most wanted first. None with an abstention.',
    example: ['0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c31'],
  },
  Abstention: {
    kind: 'boolean',
    description: 'Whether the voter abstains from this question. False if absent.',
    example: false,
  },
} as const;

/** Characters of the largest encrypted ballot: of `MOST_SLOTS` (campagne.transitions.ts). */
const MOST_SEALED = 200_000;

/** A ballot (docs/contract.md, "Casting"). */
export const BULLETIN_FIELDS = {
  VotantId: text(36, {
    required: true,
    format: 'uuid',
    description: 'The voter who votes.',
    example: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c41',
  }),
  Reponses: {
    kind: 'records',
    of: REPONSE_FIELDS,
    max: MOST_QUESTIONS,
    description:
      'An answer to each question of the campaign, in any order: all at once, and for good. Absent in an encrypted vote only.',
  },
  BulletinChiffre: text(MOST_SEALED, {
    description:
      'In an encrypted vote, instead of `Reponses`: the ballot that the voter’s device has sealed (`@mandat/ballot`), base64url.',
    example: null,
  }),
  EmpreinteRecu: text(43, {
    description:
      'SHA-256 of a receipt that the voter’s device has made, in base64url without padding. The service then never knows the receipt. Absent or null: the service makes the receipt.',
    example: 'kS3b4UUW3xZSXca1D2H-1LmQmqyOrNcvXgHJj_IhDuU',
  }),
} as const;

export type ReponseRecord = RecordOf<typeof REPONSE_FIELDS>;
export type BulletinRecord = RecordOf<typeof BULLETIN_FIELDS>;
