import { type RecordOf, text } from '#platform/input/field';

/** The seed of synthetic data. */
export const GRAINE = text(255, {
  required: true,
  description: 'Seed: the same seed and numbers give the same data and the same digest.',
  example: 'repetition-2026',
});

/** A synthetic electorate (docs/contract.md, "Rehearsal"). */
export const ELECTORAT_FIELDS = {
  graine: GRAINE,
  employes: {
    kind: 'integer',
    min: 1,
    max: 50_000,
    required: true,
    description: 'Number of employees.',
    example: 200,
  },
  employeurs: {
    kind: 'integer',
    min: 1,
    max: 1_000,
    description: 'Number of employers; 20 if absent.',
    example: 8,
  },
  defauts: {
    kind: 'integer',
    min: 0,
    max: 5_000,
    description: 'Number of employees with a fault of real exports, at most `employes`; none if absent.',
    example: 24,
  },
} as const;

export type ElectoratRecord = RecordOf<typeof ELECTORAT_FIELDS>;
