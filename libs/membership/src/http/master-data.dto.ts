/** Filter of the lists of employees and employers. */
export const modifieDepuis = {
  kind: 'date',
  description:
    'Only what was created or changed at this time or later. A change carries the time at which its request began, so overlap successive reads by two minutes.',
  example: '2026-01-01T00:00:00Z',
} as const;
