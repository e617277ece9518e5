import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { CHIFFREMENT_FIELDS, FICHIER_FIELDS, type FichierRecord } from '../domain/chiffrement.fields';
import { ENCRYPTED_EXAMPLES } from './encrypted-examples';
import { EXAMPLE_IDS } from '../../http/examples';

export const POINT = '4vKufznrsykkxjvQRUHqkr0KoJ5hB1tJ-VaQ3SV1NmM';
const DIGEST = 'kS3b4UUW3xZSXca1D2H-1LmQmqyOrNcvXgHJj_IhDuU';

/** A guardian of a draft. */
export class GardienInput extends InputOf(CHIFFREMENT_FIELDS.gardiens.of) {}

/** Body that makes a draft an encrypted vote. */
export class ChiffrementInput extends InputOf(CHIFFREMENT_FIELDS, { gardiens: GardienInput }) {}

/** A complaint about a wrong share. */
export class PlainteInput extends InputOf(FICHIER_FIELDS.plainte.of) {}

/** A file of a guardian. */
export class FichierInput extends InputOf(FICHIER_FIELDS, { plainte: PlainteInput }) {}

const CAMPAGNE_ID = value.id('The campaign (GUID).', EXAMPLE_IDS.campagne);
const SEUIL = value.integer('How many guardians decrypt the result together.', 2);

const { gardien: GARDIEN, premierFichier: FIRST } = ENCRYPTED_EXAMPLES;
const point = (description: string) => value.text(description, POINT);
const proof = (description: string) => value.text(description, FIRST.preuve);

/** A share for another guardian. */
export class PartItem extends ItemOf({
  gardien: value.integer('Number of the guardian who gets it.', 2),
  ephemere: point('A point, base64url.'),
  valeur: value.text('The encrypted share, base64url.', DIGEST),
}) {}

/** A complaint about a wrong share. */
export class PlainteItem extends ItemOf({
  contre: value.integer('Number of the guardian whose share is wrong.', 1),
  secret: point('What opens the share for everybody, a point in base64url.'),
  preuve: proof('A proof, base64url.'),
}) {}

/** A file of the ceremony in the form that is signed: members of other rounds are absent. */
export class FichierItem extends ItemOf({
  campagneId: CAMPAGNE_ID,
  gardien: value.integer('Number of the guardian.', 1),
  tour: value.integer('The round.', 1),
  nom: value.optional(value.text('Name of the guardian; of round 1, as the next five.', GARDIEN)),
  nombre: value.optional(value.integer('Number of guardians.', 1)),
  seuil: value.optional(value.integer('How many decrypt together.', 1)),
  cleSignature: value.optional(value.text('Public key of the signatures (Ed25519), base64url.', DIGEST)),
  cleTransport: value.optional(point('Key for shares, a point in base64url.')),
  preuve: value.optional(proof('A proof, base64url; of rounds 1 and 2.')),
  precedent: value.optional(value.text('Digest of the round before, base64url.', DIGEST)),
  engagements: value.optional(value.texts('Commitments, points in base64url; of round 2.', [POINT])),
  parts: value.optional(value.list(PartItem, 'Shares for the other guardians; of round 2.')),
  cle: value.optional(point('The key of the vote, a point in base64url; of round 3.')),
  plainte: value.optional(value.one(PlainteItem, 'Complaint about a wrong share, instead of `cle`.')),
  signature: proof('Signature of the guardian (Ed25519), base64url.'),
}) {}

/** The ceremony of an encrypted vote: `mandat-gardien` reads it as it is. */
export class CeremonieItem extends ItemOf({
  campagneId: CAMPAGNE_ID,
  seuil: SEUIL,
  gardiens: value.texts('Names of the guardians, in the order of their numbers.', ['Ariane Lapointe']),
  fichiers: value.list<FichierRecord>(FichierItem, 'All files so far, by round and then by guardian.'),
  tour: value.integer('The open round, 1 to 3; 3 after the end.', 1),
  attendus: value.texts('Names of the guardians whose file is missing.', ['Ariane Lapointe']),
  fautif: value.orNull(
    value.text(
      'Name of the guardian who has cheated. The ceremony has ended: `PUT …/chiffrement` begins another one.',
      null,
    ),
  ),
  cle: value.orNull(value.text('The key of the vote, base64url; null before the end.', null)),
  ceremonie: value.orNull(value.text('Digest of the ceremony, base64url; null before the end.', null)),
}) {}

/** A question of an encrypted vote. */
export class ScrutinQuestionItem extends ItemOf({
  QuestionId: value.id('The question (GUID).', EXAMPLE_IDS.question),
  Titre: value.text('Its title.', 'Acceptez-vous l’entente de principe ?'),
  MinReponses: value.integer('The fewest options of an answer that is no abstention.', 1),
  MaxReponses: value.integer('The most options of an answer.', 1),
  Options: value.ids('Its options (GUID), in their order.', [EXAMPLE_IDS.option]),
  Libelles: value.texts('Their labels.', ['Pour']),
}) {}

/** The key and the structure by which a voter’s device seals a ballot. */
export class ScrutinItem extends ItemOf({
  campagneId: CAMPAGNE_ID,
  ceremonie: value.text('Digest of the ceremony, base64url.', DIGEST),
  cle: value.text('The key of the vote, base64url.', POINT),
  questions: value.list(ScrutinQuestionItem, 'The questions, in their order.'),
  seuilAnonymat: value.integer('Smallest number of ballots in a sum that is decrypted.', 5),
  publications: value.integer('How often the campaign has been published.', 1),
}) {}

/** The sums of an encrypted vote, and how far their decryption is. */
export class DepouillementItem extends ItemOf({
  campagneId: CAMPAGNE_ID,
  seuil: SEUIL,
  ceremonie: value.text('Digest of the ceremony, base64url.', DIGEST),
  depouillement: value.text('Digest of the ballots and sums that are decrypted, base64url.', DIGEST),
  recus: value.integer('Number of guardians who have decrypted them.', 1),
  attendus: value.texts('Names of the other guardians.', ['Ariane Lapointe']),
  sommes: value.texts('Lines of `sommes.ndjson`, one a class (docs/encrypted-vote.md).', [
    '{"bulletins":12,"classe":1,"nombres":[[["…","…"]]],"poids":null,"total":"12","unite":"1"}',
  ]),
}) {}
