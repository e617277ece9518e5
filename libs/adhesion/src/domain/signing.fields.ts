import { identifier, text } from '#platform/input/field';

/** Fields of a signing beside those of the person (docs/contract.md, "Signing"). */
export const SIGNING_FIELDS = {
  employeIdExterne: identifier({
    description:
      'External identifier of the employee who signs. If it is absent or unknown, the signing becomes a request that waits for conciliation.',
    example: 'E-1001',
  }),
  syndicatIdExterne: identifier({
    required: true,
    description: 'External identifier of the union that is joined, which must exist.',
    example: 'SYN-10',
  }),
  dateSignature: {
    kind: 'date',
    notAhead: true,
    description: 'When it was signed: at most 10 minutes ahead. The time of the request if absent.',
    example: '2026-03-02T14:05:09.120Z',
  },
  transactionId: text(255, {
    description: 'Identifier that the signing page gives its transaction.',
    example: 'TX-2026-000481',
  }),
  imageSignature: text(1_048_576, {
    description:
      'The handwritten signature: a data URL of a PNG image (`data:image/png;base64,…`) of at most 512 KiB, 4,096 pixels a side and 32 MB of pixels. It is decoded whole, and refused if a viewer cannot show it.',
    example:
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  }),
  formulaireId: {
    kind: 'text',
    max: 36,
    format: 'uuid',
    description:
      'The form that was filled (GUID): an active one of the union. Its mandatory custom fields must have a value.',
  },
} as const;
