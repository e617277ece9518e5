import { identifier } from '#platform/input/field';

/** A pair of a renaming of many employees. */
export const RENOMMAGE_FIELDS = {
  ancien: identifier({
    required: true,
    isStored: true,
    description: 'Present external identifier of the employee.',
    example: 'E-1006',
  }),
  nouveau: identifier({
    required: true,
    description: 'New external identifier; another employee may have it if this list renames it, too.',
    example: 'P-30001',
  }),
} as const;

export const NOUVEL_IDENTIFIANT_FIELDS = {
  idExterne: identifier({
    required: true,
    description: 'New external identifier, which no other employee has.',
    example: 'P-30002',
  }),
} as const;
