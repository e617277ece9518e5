import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { EXAMPLE_IDS, EXAMPLE_NOTE } from '../../http/examples';

const MOST_RECEIPTS = 2_147_483_647;

/** Two sizes of the log of receipts. */
export class CoherenceQuery extends InputOf({
  de: {
    kind: 'integer',
    min: 1,
    max: MOST_RECEIPTS,
    required: true,
    description: 'The smaller size.',
    example: 1,
  },
  a: {
    kind: 'integer',
    min: 1,
    max: MOST_RECEIPTS,
    required: true,
    description: 'The larger size, at most that of the newest checkpoint.',
    example: 1,
  },
}) {}

/** A signed size of the log of receipts. */
export class EngagementItem extends ItemOf({
  taille: value.integer('Number of receipts in the log.', 300),
  racine: value.text(
    'Root of the Merkle tree (RFC 6962), base64url.',
    'qkW2hBn7t1n2pvXkcm0pQJdUO4lBYqM2S8E1rSxCTkY',
  ),
  note: value.text('The checkpoint, a signed note (C2SP tlog-checkpoint).', EXAMPLE_NOTE),
}) {}

/** Data of the event `campagne.engagee`. */
export class CampagneEngageeData extends ItemOf(
  { campagneId: value.id('The campaign (GUID).', EXAMPLE_IDS.ouverte) },
  {},
  EngagementItem,
) {}

/** Proof that the log of one size begins with that of another (RFC 6962, section 2.1.2). */
export class CoherenceItem extends ItemOf({
  de: value.integer('The smaller size.', 1),
  a: value.integer('The larger size.', 1),
  preuve: value.texts('Hashes of the consistency proof, base64url.', [
    'qkW2hBn7t1n2pvXkcm0pQJdUO4lBYqM2S8E1rSxCTkY',
  ]),
}) {}
