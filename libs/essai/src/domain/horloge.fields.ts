/** The time by the clock of a rehearsal (docs/contract.md, "Rehearsal"). */
export const HORLOGE_FIELDS = {
  maintenant: {
    kind: 'date',
    required: true,
    shown: 'The time by the clock of the data space (UTC).',
    always: true,
    description:
      'The time that the clock is to show: later than now by the clock, and at most two years ahead of the real time.',
    example: '2027-03-01T13:00:00.000Z',
  },
} as const;

/** How far the clock of a rehearsal is advanced. */
export const AVANCE_FIELDS = {
  jusqua: {
    kind: 'date',
    required: true,
    description:
      'The time that the clock shows at the end: later than now by the clock, and at most two years ahead of the real time.',
    example: '2027-03-08T22:00:00.000Z',
  },
} as const;
