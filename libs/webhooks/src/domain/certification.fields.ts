/** Proofs of one certification: more than its events have. */
const MOST_PROOFS = 100;

/** Fields of the report of the events that a receiver has processed. */
export const CONSTATS_FIELDS = {
  traites: {
    kind: 'texts',
    required: true,
    max: MOST_PROOFS,
    length: 100,
    mayRepeat: true,
    description:
      'The `data.defi` of each event of the certification that the receiver has processed, as often as it has. Replaces what was sent before.',
    example: ['7SwIjMtz99gRVLJc'],
  },
} as const;
