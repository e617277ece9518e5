import {
  BALLOTS,
  type Bundle,
  DECRYPTIONS,
  type Manifest,
  questionFile,
  SUMS,
  type Vote,
} from '../bundle.js';
import { sha256 } from '../bytes.js';
import { type Findings, Malformed } from '../findings.js';
import { parsedCanonical } from '../json.js';
import { weightText } from '../results.js';
import { exactly, list, record } from '../shapes.js';
import { type EncryptedAnswers } from '../answers.js';
import { assertSignedBy, type Ceremony, linesOf } from './ceremony.js';
import { base64url, bytes, partShape, signedMembers } from './files.js';
import {
  challenge,
  committed,
  committedOn,
  equal,
  IDENTITY,
  inverse,
  logOf,
  minus,
  plus,
  type Point,
  scalarOf,
  times,
  timesBase,
  timesScalars,
  u32,
} from './group.js';
import { type ClassSums } from './sums.js';

const fileShape = record({
  ...signedMembers,
  tour: exactly(4),
  precedent: bytes(32),
  depouillement: bytes(32),
  parts: list(partShape, 100_000_000),
});

/** The largest logarithm that is looked for, to name the right figure. */
const MOST_SEARCHED = 1n << 32n;

/** All ciphertexts in the order in which they are decrypted. */
const ciphertextsOf = (sums: readonly ClassSums[]): Point[][] =>
  sums.flatMap(({ numbers, weights }) => [...numbers.flat(), ...(weights ?? []).flat()]);

/** Checks the decryptions. Returns vB of each ciphertext; undefined if a decryption is missing or does not hold. */
export function checkDecryptions(
  bundle: Bundle,
  manifest: Manifest,
  { digest: Z, threshold, guardians }: Ceremony,
  sums: readonly ClassSums[],
  findings: Findings,
  progress: (parts: number) => void,
): Point[] | undefined {
  const checked = findings.begin();
  const D = findings.attempt(SUMS, () =>
    sha256(...[BALLOTS, SUMS].map((name) => bundle.archive.digest(bundle.entry(name)))),
  );
  const all = ciphertextsOf(sums);
  const decrypted = findings.attempt(DECRYPTIONS, () => {
    const parts = new Map<number, Point[]>();
    for (const { line, content } of linesOf(bundle, DECRYPTIONS))
      findings.attempt(
        DECRYPTIONS,
        () => {
          const file = parsedCanonical(content);
          const found = fileShape(file, '');
          const { gardien } = found;
          const guardian = guardians[gardien - 1];
          if (!guardian) throw new Malformed('gardien', `1 to ${guardians.length}`, `${gardien}`);
          const last = [...parts.keys()].at(-1) ?? 0;
          if (gardien <= last) throw new Malformed('gardien', `more than ${last}`, `${gardien}`);
          const same = (figure: string, expected: unknown, other: unknown): void =>
            findings.same(DECRYPTIONS, figure, expected, other, line);
          same('campagneId', manifest.campagneId, found.campagneId);
          same('precedent', base64url(Z), base64url(found.precedent));
          same('depouillement', base64url(D!), base64url(found.depouillement));
          findings.attempt(DECRYPTIONS, () => assertSignedBy(guardian.signs, file, found.signature), line);
          if (found.parts.length !== all.length)
            throw new Malformed('number of parts', `${all.length}`, `${found.parts.length}`);
          for (const [index, { part, preuve }] of found.parts.entries()) {
            const [alpha] = all[index] as [Point, Point];
            const commitments = [
              committed(preuve.z, preuve.e, guardian.share),
              committedOn(preuve.z, alpha, preuve.e, part),
            ];
            const named = [Z, D!, u32(gardien), u32(index), alpha, part];
            if (!equal(preuve.e, challenge('dechiffrement', ...named, Buffer.concat(commitments))))
              throw new Malformed(`parts[${index}].preuve`, 'one that holds', 'one that does not hold');
            progress(1);
          }
          parts.set(
            gardien,
            found.parts.map(({ part }) => part),
          );
        },
        line,
      );
    // A box without ballots has nothing to decrypt.
    if (parts.size !== threshold && (all.length > 0 || parts.size > 0))
      throw new Malformed('decryptions that hold', `${threshold}`, `${parts.size}`);
    return combined(all, parts);
  });
  checked({
    en: `${DECRYPTIONS}: signatures, and proofs of ${all.length} parts of each of ${threshold} guardians`,
    fr: `${DECRYPTIONS} : signatures, et preuves de ${all.length} parts de chacun des ${threshold} gardiens`,
  });
  return decrypted;
}

/** β − Σ λⱼDⱼ of each ciphertext. */
function combined(all: readonly Point[][], parts: ReadonlyMap<number, readonly Point[]>): Point[] {
  const numbers = [...parts.keys()];
  const factors = numbers.map((j) =>
    numbers
      .filter((k) => k !== j)
      .map((k) => timesScalars(scalarOf(k), inverse(scalarOf(k - j))))
      .reduce(timesScalars, scalarOf(1)),
  );
  return all.map(([, beta], index) =>
    minus(
      beta!,
      numbers.reduce((sum, j, place) => plus(sum, times(factors[place]!, parts.get(j)![index]!)), IDENTITY),
    ),
  );
}

/** Compares the figures of the questions with the decrypted sums. */
export function checkFigures(
  vote: Vote,
  sums: readonly ClassSums[],
  decrypted: readonly Point[],
  answers: readonly EncryptedAnswers[],
  findings: Findings,
): void {
  const checked = findings.begin();
  let at = 0;
  for (const [index, { numbers, weights, unit }] of sums.entries()) {
    const { bulletins, poids } = vote.classes[index]!;
    const check = (place: number, slot: number, isWeight: boolean): void => {
      const { line, figures } = answers[place]!.ofClasses[index]!;
      const published = figures[slot]!;
      const name = isWeight ? published.weightName : published.name;
      const [found, factor] = isWeight ? [published.weight, unit] : [BigInt(published.number), 1n];
      const most = isWeight ? poids / unit : BigInt(bulletins);
      const point = decrypted[at++]!;
      if (found % factor === 0n && equal(point, timesBase(scalarOf(found / factor)))) return;
      const right = most <= MOST_SEARCHED ? logOf(point, most) : undefined;
      const shown = (value: bigint): string => (isWeight ? weightText(value) : `${value}`);
      const expected = right === undefined ? 'the decrypted sum' : shown(right * factor);
      findings.differs(questionFile(place), name, expected, shown(found), line);
    };
    for (const [place, slots] of numbers.entries())
      for (const slot of slots.keys()) check(place, slot, false);
    for (const [place, slots] of (weights ?? []).entries())
      for (const slot of slots.keys()) check(place, slot, true);
    if (weights) continue;
    for (const [place, { ofClasses }] of answers.entries())
      for (const { name, weightName, number, weight } of ofClasses[index]!.figures)
        findings.same(
          questionFile(place),
          `${weightName}, which is ${weightText(unit)} times ${name}`,
          weightText(BigInt(number) * unit),
          weightText(weight),
          ofClasses[index]!.line,
        );
  }
  checked({
    en: 'questions: numbers and weights of each class are those that the guardians have decrypted',
    fr: 'questions : nombres et poids de chaque classe sont ceux que les gardiens ont déchiffrés',
  });
}
