import { type RecordOf, text } from '#platform/input/field';
import { ACTIONS } from './retour.types';

/** Maximum notifications of one request. */
export const MOST_RETOURS = 1_000;

/** A notification of a relay as JSON (docs/contract.md, "Bounces"). */
export const RETOUR_FIELDS = {
  messageId: text(998, {
    required: true,
    description: 'Message-ID of the message, with or without angle brackets.',
    example: '<0198c2d4-7c21-7d40-8a13-5e9b0c4f6b11@example.org>',
  }),
  destinataire: text(998, {
    description:
      'Address of the recipient. It is neither stored nor read, because the Message-ID names the recipient.',
    example: 'zoe@example.org',
  }),
  statut: text(11, {
    description:
      'Status code of RFC 3463, such as `5.1.1`. If absent, the code that `raison` begins with or contains; otherwise `5.0.0`.',
    example: '5.1.1',
  }),
  action: {
    kind: 'choice',
    values: ACTIONS,
    required: true,
    description:
      'As in RFC 3464: `failed` for a message that was given up, `delayed` for one that is still tried. The others change nothing.',
    example: 'failed',
  },
  raison: text(2_000, {
    description:
      'Text of the receiving server. Only its codes are stored, because it may contain an address.',
    example: '550 5.1.1 User unknown',
  }),
} as const;

export type RetourRecord = RecordOf<typeof RETOUR_FIELDS>;
