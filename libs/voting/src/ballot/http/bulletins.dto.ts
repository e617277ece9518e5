import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { BULLETIN_FIELDS, REPONSE_FIELDS } from '../domain/bulletin.fields';
import { EXAMPLE_IDS, EXAMPLE_NOTE } from '../../http/examples';

/** The answer to one question. */
export class ReponseInput extends InputOf(REPONSE_FIELDS) {}

/** A ballot: all questions answered at once. */
export class BulletinInput extends InputOf(BULLETIN_FIELDS, { Reponses: ReponseInput }) {}

export const EXAMPLE_ATTESTATION =
  'eyJhbGciOiJFZERTQSIsImtpZCI6Ii4uLiJ9.eyJjYW1wYWduZUlkIjoiLi4uIn0.c2lnbmF0dXJl';

const RECU = value.text(
  'Receipt: its owner can check that the ballot is counted. Voter and choices stay secret. It is returned only once.',
  EXAMPLE_IDS.recu,
);
const EMPREINTE_RECU = value.text(
  'SHA-256 of the receipt, base64url.',
  BULLETIN_FIELDS.EmpreinteRecu.example,
);

/** Proof that a ballot is counted, for the voter. */
export class RecuItem extends ItemOf({ Recu: RECU }) {}

/** A ballot that was cast. */
export class BulletinDeposeItem extends ItemOf({
  Recu: value.optional(RECU),
  EmpreinteRecu: value.optional(EMPREINTE_RECU),
  Attestation: value.text(
    'Signed promise that the receipt is in the log at the close: a compact JWS over `{"campagneId","empreinteRecu"}` (docs/verification.md). Its key is in `/.well-known/jwks.json`.',
    EXAMPLE_ATTESTATION,
  ),
}) {}

/** Proof that the log of receipts has a receipt (RFC 6962, section 2.1.1). */
export class PreuveRecuItem extends ItemOf({
  EmpreinteRecu: EMPREINTE_RECU,
  Index: value.integer('Place of the receipt in the log, from 0.', 41),
  Taille: value.integer('Size of the log at the newest checkpoint.', 300),
  Chemin: value.texts('Hashes of the inclusion proof, from the leaf upwards, base64url.', [
    'qkW2hBn7t1n2pvXkcm0pQJdUO4lBYqM2S8E1rSxCTkY',
  ]),
  Engagement: value.text('The newest checkpoint, a signed note (C2SP tlog-checkpoint).', EXAMPLE_NOTE),
}) {}
