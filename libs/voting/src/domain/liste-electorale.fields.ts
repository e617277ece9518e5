import type { RecordOf } from '#platform/input/field';
import { VOTANT_FIELDS } from './votant.fields';

/** The most identifiers that one request names: what fits into its body. */
export const MOST_NAMED = 25_000;

/** By which criteria voters are made of employees (docs/contract.md, "Electoral lists"). */
export const LISTE_ELECTORALE_FIELDS = {
  SyndicatsIdExternes: {
    kind: 'texts',
    max: 1_000,
    length: 255,
    description: 'Employees with a membership in one of these unions that has begun by the day.',
    example: ['SYN-10'],
  },
  EmployeursIdentifiantsExternes: {
    kind: 'texts',
    max: 1_000,
    length: 255,
    description: 'Employees with an employment at one of these employers that is active on the day.',
    example: ['EMP-100'],
  },
  EmployesIdExternes: {
    kind: 'texts',
    max: MOST_NAMED,
    length: 255,
    description:
      'Of these employees only. Named alone, those of whom employments are known need an active one or a membership.',
    example: ['E-1001'],
  },
  ActifsLe: {
    kind: 'date',
    description:
      'The day that memberships and employments are looked at; of a date-time, its day in UTC. The current one if absent.',
  },
  Poids: { ...VOTANT_FIELDS.Poids, description: 'Weight of their ballots. 1 if absent.' },
} as const;

export type ListeElectoraleRecord = RecordOf<typeof LISTE_ELECTORALE_FIELDS>;
