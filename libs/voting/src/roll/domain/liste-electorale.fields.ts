import type { RecordOf } from '#platform/input/field';
import { VOTANT_FIELDS } from './votant.fields';

/** Maximum number of identifiers in one request, limited by its body size. */
export const MOST_NAMED = 25_000;

/** Criteria by which employees become voters (docs/contract.md, "Electoral lists"). */
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
      'Only these employees. Without other criteria, employees with employments need an active one or a membership.',
    example: ['E-1001'],
  },
  ActifsLe: {
    kind: 'date',
    description:
      'The day that memberships and employments are looked at; of a date-time, its day in the client’s time zone. The current one if absent.',
    example: '2026-11-02',
  },
  Poids: { ...VOTANT_FIELDS.Poids, description: 'Weight of their ballots. 1 if absent.' },
} as const;

export type ListeElectoraleRecord = RecordOf<typeof LISTE_ELECTORALE_FIELDS>;
