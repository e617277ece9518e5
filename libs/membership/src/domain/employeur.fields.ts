import { identifier, type RecordOf, text } from '#platform/input/field';
import { READ_ONLY_FIELDS } from './read-only.fields';

/** An employer as partners write it (docs/contract.md, "Employers"). */
export const EMPLOYEUR_FIELDS = {
  idExterne: identifier({
    required: true,
    description: 'Partner-defined identifier of the employer; case-sensitive, never changes.',
    example: 'EMP-100',
  }),
  nom: text(255, {
    required: true,
    description: 'Name of the employer.',
    example: 'Aciérie du Saint-Laurent',
  }),
  ...READ_ONLY_FIELDS,
} as const;

export type EmployeurRecord = RecordOf<typeof EMPLOYEUR_FIELDS>;
