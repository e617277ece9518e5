/** The request that replaces a key. */
export const CLE_ROTATION_FIELDS = {
  graceHeures: {
    kind: 'integer',
    min: 0,
    max: 720,
    required: true,
    description: 'Hours for which the old key still works, at most 30 days; 0 ends it at once.',
    example: 24,
  },
} as const;
