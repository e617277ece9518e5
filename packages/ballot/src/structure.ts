import { bytesOf, utf8, uuidBytes } from './bytes.js';
import { POINT_BYTES, SCALAR_BYTES } from './group.js';
import { digestOf, labelOf } from './hash.js';

export interface Question {
  readonly QuestionId: string;
  /** The text that the voter reads. */
  readonly Titre: string;
  /** Identifiers of the options, in the order of the slots. */
  readonly Options: readonly string[];
  /** The text of each option, in the same order. */
  readonly Libelles: readonly string[];
  readonly MinReponses: number;
  readonly MaxReponses: number;
}

/** Members of `GET /plateforme/v1/campagnes/{id}/scrutin` that a device needs. The response may have further members. */
export interface Scrutin {
  readonly campagneId: string;
  /** Digest of the ceremony, in base64url. */
  readonly ceremonie: string;
  /** Key of the vote, in base64url. */
  readonly cle: string;
  readonly questions: readonly Question[];
  readonly seuilAnonymat: number;
}

/** How many options of a question a ballot may choose. */
export interface Limits {
  readonly options: number;
  readonly least: number;
  readonly most: number;
}

const CIPHERTEXT_BYTES = 2 * POINT_BYTES;

/**
 * The limits of each question.
 *
 * @throws TypeError if no ballot could be made, if an option or a question occurs twice, or if a text is missing
 */
export function limitsOf({ questions }: Scrutin): Limits[] {
  const identifiers = questions.flatMap(({ QuestionId, Options }) => [QuestionId, ...Options]);
  if (new Set(identifiers.map(lowercase)).size < identifiers.length)
    throw new TypeError('A question or option occurs twice.');
  if (questions.length === 0) throw new TypeError('The vote has no question.');
  return questions.map(({ QuestionId, Titre, Options, Libelles, MinReponses, MaxReponses }) => {
    if (isNoText(Titre)) throw new TypeError(`Question ${QuestionId} has no title.`);
    if (!Array.isArray(Libelles) || Libelles.length !== Options.length || Libelles.some(isNoText))
      throw new TypeError(`Question ${QuestionId} does not have a label for each option.`);
    const least = Math.max(1, MinReponses);
    const most = Math.min(Options.length, MaxReponses);
    if (!Number.isInteger(least) || !Number.isInteger(most) || least > most)
      throw new TypeError(`Question ${QuestionId} allows no choice.`);
    return { options: Options.length, least, most };
  });
}

/** The branches of the proof that the number of a question's options is allowed: slot 0, and the sum of the other slots. */
export function numberBranchesOf({ least, most }: Limits): [number, number][] {
  const counts = Array.from({ length: most - least + 1 }, (_, n): [number, number] => [0, least + n]);
  return [[1, 0], ...counts];
}

/** Bytes of the ciphertexts of a ballot. */
export function ciphertextsLength(limits: readonly Limits[]): number {
  return limits.reduce((sum, { options }) => sum + CIPHERTEXT_BYTES * (options + 1), 0);
}

/** Bytes of a ballot. */
export function ballotLength(limits: readonly Limits[]): number {
  const scalars = limits.map((one) => 4 * one.options + 3 * numberBranchesOf(one).length);
  return 1 + ciphertextsLength(limits) + SCALAR_BYTES * scalars.reduce((sum, count) => sum + count);
}

/** S: the digest of everything in a vote that gives a ballot its meaning, the words that the voter reads included. */
export function structureDigest(scrutin: Scrutin): Uint8Array {
  const limits = limitsOf(scrutin);
  // The members are in the order of RFC 8785, which escapes texts as JSON.stringify does.
  return digestOf(
    utf8(
      JSON.stringify({
        campagneId: identifierOf(scrutin.campagneId),
        questions: scrutin.questions.map(({ QuestionId, Titre, Options, Libelles }, q) => ({
          Libelles,
          MaxReponses: limits[q]!.most,
          MinReponses: limits[q]!.least,
          Options: Options.map(identifierOf),
          QuestionId: identifierOf(QuestionId),
          Titre,
        })),
        seuilAnonymat: countOf(scrutin.seuilAnonymat),
      }),
    ),
  );
}

/** V: the voter in ballots and in the bundle. */
export function voterDigest(campagneId: string, VotantId: string): Uint8Array {
  return digestOf(labelOf('votant'), uuidBytes(campagneId), uuidBytes(VotantId));
}

/** Bytes of a known length in base64url. @throws TypeError for another text */
export function fixedBytes(text: string, length: number, name: string): Uint8Array {
  const bytes = bytesOf(text);
  if (bytes?.length !== length) throw new TypeError(`${name} is not ${length} bytes in base64url.`);
  return bytes;
}

/** Whether a value is no text, or has half a surrogate pair, which has no UTF-8. */
const isNoText = (value: unknown): boolean => typeof value !== 'string' || /\p{Surrogate}/u.test(value);

const lowercase = (text: string): string => text.toLowerCase();

function identifierOf(uuid: string): string {
  uuidBytes(uuid);
  return lowercase(uuid);
}

function countOf(n: number): number {
  if (!Number.isSafeInteger(n) || n < 1) throw new TypeError(`${n} is not a number of ballots.`);
  return n;
}
