import { type RecordOf, text } from '#platform/input/field';
import { MOST_SUMS } from '../../campagne/domain/campagne.transitions';

/** The most guardians of a vote. */
export const MOST_GUARDIANS = 9;

const NOM = text(100, {
  required: true,
  description: 'Name of the guardian, as the voters know it.',
  example: 'Ariane Lapointe',
});

/** The guardians of a draft (docs/encrypted-vote.md, "The ceremony"). */
export const CHIFFREMENT_FIELDS = {
  gardiens: {
    kind: 'records',
    of: { nom: NOM },
    max: MOST_GUARDIANS,
    required: true,
    description: 'The guardians, in the order of their numbers. Each is another person.',
  },
  seuil: {
    kind: 'integer',
    min: 1,
    max: MOST_GUARDIANS,
    required: true,
    description:
      'How many guardians decrypt the result together. If more than the others are lost, the vote has no result.',
    example: 2,
  },
} as const;

const base64url = (bytes: number, description: string) =>
  text(Math.ceil((bytes * 4) / 3), { description, example: 'A'.repeat(Math.ceil((bytes * 4) / 3)) });
const POINT = 'A point, base64url.';
const PREUVE = base64url(64, 'A proof, base64url.');

/** A file of a guardian, in the form that is signed: members of other rounds are absent (docs/encrypted-vote.md). */
export const FICHIER_FIELDS = {
  campagneId: text(36, {
    required: true,
    format: 'uuid',
    description: 'The campaign.',
    example: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c12',
  }),
  gardien: {
    kind: 'integer',
    min: 1,
    max: MOST_GUARDIANS,
    required: true,
    description: 'Number of the guardian.',
    example: 1,
  },
  tour: { kind: 'integer', min: 1, max: 4, required: true, description: 'The round.', example: 1 },
  nom: { ...NOM, required: false },
  nombre: { kind: 'integer', min: 1, max: MOST_GUARDIANS, description: 'Number of guardians.', example: 3 },
  seuil: {
    kind: 'integer',
    min: 1,
    max: MOST_GUARDIANS,
    description: 'How many decrypt together.',
    example: 2,
  },
  cleSignature: base64url(32, 'Public key of the signatures (Ed25519), base64url.'),
  cleTransport: base64url(32, POINT),
  preuve: PREUVE,
  precedent: base64url(32, 'Digest of the round before, base64url.'),
  engagements: {
    kind: 'texts',
    max: MOST_GUARDIANS,
    length: 43,
    mayRepeat: true,
    description: 'Commitments of the guardian, points in base64url.',
    example: [],
  },
  parts: {
    kind: 'rows',
    max: MOST_SUMS,
    description: 'Shares for the other guardians (round 2), or decrypted parts of sums (round 4).',
  },
  cle: base64url(32, 'The key of the vote, a point in base64url.'),
  plainte: {
    kind: 'record',
    of: {
      contre: {
        kind: 'integer',
        min: 1,
        max: MOST_GUARDIANS,
        required: true,
        description: 'Number of the guardian whose share is wrong.',
        example: 1,
      },
      secret: { ...base64url(32, POINT), required: true },
      preuve: { ...PREUVE, required: true },
    },
    description: 'Complaint about a wrong share, instead of `cle`.',
  },
  depouillement: base64url(32, 'Digest of the ballots and sums that are decrypted, base64url.'),
  signature: { ...base64url(64, 'Signature of the guardian (Ed25519), base64url.'), required: true },
} as const;

export type ChiffrementRecord = RecordOf<typeof CHIFFREMENT_FIELDS>;
export type FichierRecord = RecordOf<typeof FICHIER_FIELDS>;
