import type { RecordOf } from '#platform/input/field';
import { GRAINE } from './electorat.fields';

/** Synthetic ballots (docs/contract.md, "Rehearsal"). */
export const BULLETINS_ESSAI_FIELDS = {
  graine: GRAINE,
  participation: {
    kind: 'decimal',
    max: 100,
    orZero: true,
    decimals: 2,
    required: true,
    description: 'Share of the voters with the right to vote who vote, in percent.',
    example: 50,
  },
} as const;

export type BulletinsEssaiRecord = RecordOf<typeof BULLETINS_ESSAI_FIELDS>;
