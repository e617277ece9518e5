import { areEqual, base64url, u32 } from './bytes.js';
import { type Ceremony, type CeremonyCheck, type Fault, type FaultName } from './ceremony.js';
import { readCommon } from './ceremony-files.js';
import { type Group, modulo, ORDER, type RandomBytes, systemRandom } from './group.js';
import { hashToScalar } from './hash.js';
import { areEqualLogarithms, type Challenge, PROOF_BYTES, proveEquality } from './knowledge.js';
import { Logarithms } from './logarithm.js';
import type { Ciphertext } from './proofs.js';
import { attempt, read } from './reading.js';
import { isSigned, sign, type SignedFile } from './signed-file.js';
import type { Count } from './sums.js';
import { weightText } from './weights.js';

/** A guardian's file of the decryption (docs/encrypted-vote.md, "The count"). */
export interface DecryptionFile extends SignedFile {
  readonly tour: 4;
  readonly precedent: string;
  readonly depouillement: string;
  readonly parts: readonly { readonly part: string; readonly preuve: string }[];
}

export interface Decryption<P> {
  readonly file: DecryptionFile;
  readonly previous: Uint8Array;
  readonly digest: Uint8Array;
  readonly parts: readonly { readonly point: P; readonly proof: Uint8Array }[];
}

/** The fault of a file of the decryption. */
export interface DecryptionFault extends Fault {
  /** The place of the ciphertext whose part is wrong, from 0. */
  readonly index?: number;
}

const DIGEST_BYTES = 32;

/** The ciphertexts of a count in the order in which they are decrypted. */
export const ciphertextsOf = <P>({ classes }: Count<P>): Ciphertext<P>[] =>
  classes.flatMap(({ numbers, weights = [] }) => [...numbers, ...weights].flat());

function challengeOf<P>(
  ceremony: Ceremony<P>,
  { digest }: Count<P>,
  guardian: number,
  index: number,
  alpha: P,
  part: P,
): Challenge {
  const { group } = ceremony;
  return (commitment) =>
    hashToScalar(
      'dechiffrement',
      ...[ceremony.digest(3), digest, u32(guardian), u32(index)],
      ...[group.encode(alpha), group.encode(part), commitment],
    );
}

/** Makes a guardian's file of the decryption. The guardian has checked the count. */
export function makeDecryption<P>(
  ceremony: Ceremony<P>,
  count: Count<P>,
  gardien: number,
  { seed, share }: { readonly seed: Uint8Array; readonly share: bigint },
  random: RandomBytes = systemRandom,
): DecryptionFile {
  const { group, parameters } = ceremony;
  return sign(
    {
      ...{ campagneId: parameters.campagneId, gardien, tour: 4 as const },
      precedent: base64url(ceremony.digest(3)),
      depouillement: base64url(count.digest),
      parts: ciphertextsOf(count).map(({ alpha }, index) => {
        const part = group.multiply(share, alpha);
        const challenge = challengeOf(ceremony, count, gardien, index, alpha, part);
        return {
          part: base64url(group.encode(part)),
          preuve: base64url(proveEquality(group, share, alpha, challenge, random)),
        };
      }),
    },
    seed,
  );
}

function decoded<P>(group: Group<P>, value: unknown): Decryption<P> {
  const object = read.object(
    value,
    ...['campagneId', 'gardien', 'tour', 'signature', 'precedent', 'depouillement', 'parts'],
  );
  readCommon(object);
  return {
    file: object as unknown as DecryptionFile,
    previous: read.bytes(object['precedent'], DIGEST_BYTES),
    digest: read.bytes(object['depouillement'], DIGEST_BYTES),
    parts: read.list(object['parts'], (item) => {
      const { part, preuve } = read.object(item, 'part', 'preuve');
      return { point: read.point(group, part), proof: read.bytes(preuve, PROOF_BYTES) };
    }),
  };
}

/** A rule of decryption files. `holds` returns true if the file keeps it, otherwise the place of the wrong part, or false. */
export interface DecryptionCheck extends Pick<CeremonyCheck, 'nom' | 'isOfSigned'> {
  holds<P>(ceremony: Ceremony<P>, count: Count<P>, decryption: Decryption<P>): boolean | number;
}

const rule = (nom: FaultName, isOfSigned: boolean, holds: DecryptionCheck['holds']): DecryptionCheck => ({
  nom,
  isOfSigned,
  holds,
});

/** All rules of the files of the decryption, in the order in which they are checked. */
export const DECRYPTION_CHECKS: readonly DecryptionCheck[] = [
  rule('campagne', false, ({ parameters }, _, { file }) => file.campagneId === parameters.campagneId),
  rule('tour', false, (_, _count, { file }) => (file.tour as number) === 4),
  rule('signature', false, ({ keys }, _, { file }) => {
    const key = keys.get(file.gardien)?.signatureKey;
    return key !== undefined && isSigned(file, key);
  }),
  rule('precedent', true, (ceremony, _, { previous }) => areEqual(previous, ceremony.digest(3))),
  rule('depouillement', true, (_, count, { digest }) => areEqual(digest, count.digest)),
  rule('parts', true, (_, count, { parts }) => parts.length === ciphertextsOf(count).length),
  rule('preuvePart', true, (ceremony, count, { file, parts }) => {
    const X = ceremony.publicShare(file.gardien);
    const wrong = ciphertextsOf(count).findIndex(({ alpha }, index) => {
      const { point, proof } = parts[index]!;
      const challenge = challengeOf(ceremony, count, file.gardien, index, alpha, point);
      return !areEqualLogarithms(ceremony.group, { X, point: alpha, Z: point }, proof, challenge);
    });
    return wrong < 0 || wrong;
  }),
];

/** Returns the decryption of a file, or why it cannot be a guardian's decryption of a count. The ceremony has ended with a key. */
export function decryptionOf<P>(
  ceremony: Ceremony<P>,
  count: Count<P>,
  file: unknown,
  checks: readonly DecryptionCheck[] = DECRYPTION_CHECKS,
): Decryption<P> | DecryptionFault {
  const decryption = attempt(() => decoded(ceremony.group, file));
  if (!decryption) return { nom: 'format', estSigne: false };
  for (const check of checks) {
    const held = check.holds(ceremony, count, decryption);
    if (held !== true)
      return {
        ...{ nom: check.nom, gardien: decryption.file.gardien, estSigne: check.isOfSigned },
        ...(held === false ? {} : { index: held }),
      };
  }
  return decryption;
}

/** Returns why a file cannot be a guardian's decryption of a count, or undefined. */
export function checkDecryption<P>(
  ceremony: Ceremony<P>,
  count: Count<P>,
  file: unknown,
): DecryptionFault | undefined {
  const decryption = decryptionOf(ceremony, count, file);
  return 'nom' in decryption ? decryption : undefined;
}

/** The choices of a class in one question, as in `questions/NN.ndjson`. */
export interface QuestionResult {
  readonly abstentions: number;
  readonly bulletins: number;
  readonly classe: number;
  readonly options: readonly number[];
  readonly poids: readonly string[];
  readonly poidsAbstentions: string;
  readonly total: string;
}

/** The decrypted sums are not those of valid ballots. */
export class ImpossibleResult extends Error {}

/**
 * Decrypts a count by the checked files of t guardians. Further files are not used.
 * @returns for each class, the result of each question
 * @throws RangeError for fewer guardians, and for weights whose sum cannot be found
 * @throws ImpossibleResult
 */
export function combine<P>(
  ceremony: Ceremony<P>,
  count: Count<P>,
  decryptions: readonly Decryption<P>[],
): QuestionResult[][] {
  const { group, parameters } = ceremony;
  const used = [...new Map(decryptions.map((one) => [one.file.gardien, one])).values()]
    .sort((one, other) => one.file.gardien - other.file.gardien)
    .slice(0, parameters.seuil);
  if (used.length < parameters.seuil)
    throw new RangeError(`${parameters.seuil} guardians must decrypt; ${used.length} have.`);
  const numbers = used.map(({ file }) => file.gardien);
  const factors = numbers.map((guardian) => lagrange(guardian, numbers));
  const points = ciphertextsOf(count).map(({ beta }, index) =>
    used.reduce(
      (rest, { parts }, at) => group.subtract(rest, group.multiply(factors[at]!, parts[index]!.point)),
      beta,
    ),
  );
  return resultsOf(group, count, points);
}

/** λ of a guardian among those who decrypt. */
export function lagrange(guardian: number, all: readonly number[]): bigint {
  const others = all.filter((other) => other !== guardian).map(BigInt);
  const above = others.reduce((product, k) => modulo(product * k), 1n);
  const below = others.reduce((product, k) => modulo(product * (k - BigInt(guardian))), 1n);
  return modulo(above * inverse(below));
}

/** Returns n^(ℓ − 2), the inverse of n (Fermat). */
function inverse(n: bigint): bigint {
  let power = n;
  let result = 1n;
  for (let rest = ORDER - 2n; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = modulo(result * power);
    power = modulo(power * power);
  }
  return result;
}

function resultsOf<P>(group: Group<P>, count: Count<P>, points: readonly P[]): QuestionResult[][] {
  const bounds = count.classes.map(({ ballots, weights, total, unit }) => ({
    number: BigInt(ballots),
    weight: weights ? total / unit : 0n,
  }));
  const most = bounds.flatMap(({ number, weight }) => [number, weight]).reduce((a, b) => (a > b ? a : b), 0n);
  const logarithms = new Logarithms(group, most, points.length);
  let at = 0;
  return count.classes.map(({ classe, ballots, numbers, weights, total, unit }, c) => {
    const found = (limit: bigint): bigint => {
      const value = logarithms.find(points[at++]!, limit);
      if (value === undefined)
        throw new ImpossibleResult(`A sum of class ${classe} is no number from 0 to ${limit}.`);
      return value;
    };
    const valuesOf = (questions: typeof numbers, limit: bigint): bigint[][] =>
      questions.map((slots) => slots.map(() => found(limit)));
    const chosen = valuesOf(numbers, bounds[c]!.number);
    const weighed = weights && valuesOf(weights, bounds[c]!.weight);
    return chosen.map(([abstentions, ...options], q) => {
      if (options.some((chosenBy) => chosenBy > BigInt(ballots) - abstentions!))
        throw new ImpossibleResult(`An option of class ${classe} has more than all expressed ballots.`);
      const [away, ...weightOf] = (weighed?.[q] ?? chosen[q]!).map((value) => weightText(value * unit));
      return {
        ...{ abstentions: Number(abstentions), bulletins: ballots, classe },
        options: options.map(Number),
        ...{ poids: weightOf, poidsAbstentions: away!, total: weightText(total) },
      };
    });
  });
}
