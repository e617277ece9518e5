import { type RecordOf, text } from '#platform/input/field';

/** The effects that a difference has on the roll when it is applied. */
export const NATURES = ['AAjouter', 'ARetirer', 'AModifier'] as const;
export type Nature = (typeof NATURES)[number];

/** Filter of the differences of a roll (docs/contract.md, "The roll and the master data"). */
export const ECART_FILTERS = {
  nature: { kind: 'choice', values: NATURES, description: 'Only differences of this kind.' },
} as const;

/** Body that applies differences. */
export const APPLICATION_FIELDS = {
  empreinte: text(64, {
    required: true,
    description:
      'Digest of the differences that were read. They are applied only if they are still the same.',
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  }),
  natures: {
    kind: 'choices',
    values: NATURES,
    required: true,
    description: 'Kinds of the differences to apply.',
    example: ['AAjouter', 'AModifier'],
  },
} as const;

export type ApplicationRecord = RecordOf<typeof APPLICATION_FIELDS>;
