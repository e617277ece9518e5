import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { ed25519, ristretto255 } from '@noble/curves/ed25519.js';
import { canonical } from '../../support/bundle';

/**
 * Guardians and voters of docs/encrypted-vote.md, written from that page alone, with another library for the curve than the verifier
 * has. They can cheat.
 */

const { Point } = ristretto255;
export type P = InstanceType<typeof Point>;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
export const B = Point.BASE;
export const mod = (value: bigint): bigint => ((value % L) + L) % L;
/** Points that are multiplied often. */
const prepared = new WeakSet<P>([B]);
export const times = (k: bigint, point: P): P =>
  mod(k) === 0n ? Point.ZERO : prepared.has(point) ? point.multiply(mod(k)) : point.multiplyUnsafe(mod(k));
export const pointOf = (text: string): P => Point.fromBytes(Buffer.from(text, 'base64url'));

export const sha256 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const bytes = (point: P): Buffer => Buffer.from(point.toBytes());
export const b64 = (value: Buffer | P): string =>
  (Buffer.isBuffer(value) ? value : bytes(value)).toString('base64url');
const littleEndian = (value: bigint): Buffer =>
  Buffer.from(mod(value).toString(16).padStart(64, '0'), 'hex').reverse();
const numberOf = (hash: Buffer): bigint => mod(BigInt(`0x${Buffer.from(hash).reverse().toString('hex')}`));
const u32 = (value: number): Buffer => Buffer.from(value.toString(16).padStart(8, '0'), 'hex');
export const uuid = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

function H(name: string, ...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha512');
  for (const part of [Buffer.from(`mandat/chiffre/1/${name}`), ...parts])
    hash.update(u32(part.length)).update(part);
  return hash.digest();
}
const Hs = (name: string, ...parts: readonly Buffer[]): bigint => numberOf(H(name, ...parts));

/** Scalars that are the same in each run. */
export class Draws {
  private count = 0;
  constructor(private readonly seed: string) {}
  next(): bigint {
    return numberOf(createHash('sha512').update(`${this.seed} ${this.count++}`).digest());
  }
}

/** A file of a guardian before its signature. */
export type File = Record<string, unknown>;

const knowledge = (draws: Draws, x: bigint, name: string, ...parts: readonly Buffer[]): string => {
  const w = draws.next();
  const e = Hs(name, ...parts, bytes(times(w, B)));
  return b64(Buffer.concat([littleEndian(e), littleEndian(w + e * x)]));
};
const equality = (draws: Draws, x: bigint, of: P, name: string, ...parts: readonly Buffer[]): string => {
  const w = draws.next();
  const e = Hs(name, ...parts, Buffer.concat([bytes(times(w, B)), bytes(times(w, of))]));
  return b64(Buffer.concat([littleEndian(e), littleEndian(w + e * x)]));
};

export interface Guardian {
  readonly number: number;
  readonly key: KeyObject;
  /** xⱼ */
  readonly share: bigint;
}

/** Changes to files by a cheat, before and after signing. */
export interface Cheat {
  readonly unsigned?: (file: File, round: number, guardian: number) => File;
  readonly signed?: (file: File, round: number, guardian: number) => File;
  readonly signature?: (text: Buffer, key: KeyObject, round: number, guardian: number) => Buffer | undefined;
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

function signedBy(key: KeyObject, file: File, cheat: Cheat, round: number, guardian: number): File {
  const unsigned = cheat.unsigned?.(file, round, guardian) ?? file;
  const text = Buffer.concat([
    Buffer.from('mandat/chiffre/1/fichier'),
    Buffer.of(0),
    Buffer.from(canonical(unsigned)),
  ]);
  const signature = cheat.signature?.(text, key, round, guardian) ?? sign(null, text, key);
  const signed = { ...unsigned, signature: b64(signature) };
  return cheat.signed?.(signed, round, guardian) ?? signed;
}

/** Signs with r = 0, so R is the identity. Some libraries accept it, and others do not. */
export function signWithIdentity(text: Buffer, key: KeyObject): Buffer {
  const { d, x } = key.export({ format: 'jwk' });
  const [seed, A] = [d!, x!].map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer];
  const R = Buffer.from(ed25519.Point.ZERO.toBytes());
  const k = numberOf(createHash('sha512').update(R).update(A).update(text).digest());
  return Buffer.concat([R, littleEndian(k * ed25519.utils.getExtendedPublicKey(seed).scalar)]);
}

export interface Ceremony {
  readonly campagneId: string;
  readonly files: readonly File[];
  readonly Z: Buffer;
  readonly Y: P;
  readonly guardians: readonly Guardian[];
}

export const linesOf = (files: readonly unknown[]): Buffer =>
  Buffer.from(files.map((file) => `${canonical(file)}\n`).join(''));
const digestOf = (files: readonly File[]): Buffer => sha256(...files.map((file) => sha256(canonical(file))));

/** Makes the files of a ceremony without complaints. */
export function ceremonyOf(
  campagneId: string,
  names: readonly string[],
  seuil: number,
  cheat: Cheat = {},
  seed = 'ceremony',
): Ceremony {
  const draws = new Draws(seed);
  const all = names.map((nom, index) => {
    const raw = sha256(`${seed} key ${index}`);
    const key = createPrivateKey({ key: Buffer.concat([PKCS8, raw]), format: 'der', type: 'pkcs8' });
    const cleSignature = Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url');
    const t = draws.next();
    return { nom, number: index + 1, key, cleSignature, t, T: times(t, B) };
  });
  const round1 = all.map(({ nom, number, key, cleSignature, t, T }) => {
    const preuve = knowledge(draws, t, 'transport', uuid(campagneId), u32(number), cleSignature, bytes(T));
    const file = {
      ...{ campagneId, gardien: number, tour: 1, nom, nombre: names.length, seuil },
      ...{ cleSignature: b64(cleSignature), cleTransport: b64(T), preuve },
    };
    return signedBy(key, file, cheat, 1, number);
  });
  const R1 = digestOf(round1);
  const polynomials = all.map(() => Array.from({ length: seuil }, () => draws.next()));
  const valueAt = (coefficients: readonly bigint[], x: number): bigint =>
    coefficients.reduceRight((sum, one) => mod(sum * BigInt(x) + one), 0n);
  const round2 = all.map(({ number: i, key }, index) => {
    const coefficients = polynomials[index]!;
    const engagements = coefficients.map((a) => times(a, B));
    const named = [R1, u32(i), Buffer.concat(engagements.map(bytes))];
    const parts = all
      .filter(({ number }) => number !== i)
      .map(({ number: j, T }) => {
        const r = draws.next();
        const E = times(r, B);
        const m = Hs('part', R1, u32(i), u32(j), bytes(E), bytes(times(r, T)));
        return { gardien: j, ephemere: b64(E), valeur: b64(littleEndian(valueAt(coefficients, j) + m)) };
      });
    const file = {
      ...{ campagneId, gardien: i, tour: 2, precedent: b64(R1), engagements: engagements.map(b64) },
      ...{ preuve: knowledge(draws, coefficients[0]!, 'engagement', ...named), parts },
    };
    return signedBy(key, file, cheat, 2, i);
  });
  const R2 = digestOf(round2);
  const Y = polynomials.reduce((sum, [a]) => sum.add(times(a!, B)), Point.ZERO);
  prepared.add(Y.precompute(6));
  const round3 = all.map(({ number, key }) => {
    const file = { campagneId, gardien: number, tour: 3, precedent: b64(R2), cle: b64(Y) };
    return signedBy(key, file, cheat, 3, number);
  });
  return {
    campagneId,
    files: [...round1, ...round2, ...round3],
    Z: digestOf(round3),
    Y,
    guardians: all.map(({ number, key }) => ({
      ...{ number, key },
      share: polynomials.reduce((sum, one) => mod(sum + valueAt(one, number)), 0n),
    })),
  };
}

/** A question as it is in S. */
export interface Asked {
  readonly QuestionId: string;
  readonly Titre: string;
  readonly Options: readonly string[];
  readonly Libelles: readonly string[];
  readonly MinReponses: number;
  readonly MaxReponses: number;
}

export interface Vote {
  readonly campagneId: string;
  readonly questions: readonly Asked[];
  readonly seuilAnonymat: number;
  readonly Z: Buffer;
  readonly Y: P;
}

export const voterOf = (campagneId: string, voter: string): Buffer =>
  sha256('mandat/chiffre/1/votant', uuid(campagneId), uuid(voter));

export interface Sealed {
  readonly ballot: Buffer;
  /** The r of each slot. */
  readonly aleas: readonly Buffer[];
}

/** Bits of the slots of each question. */
export const bitsOf = (choices: readonly (readonly number[])[], questions: readonly Asked[]): number[][] =>
  questions.map(({ Options }, q) => {
    const chosen = choices[q]!;
    return [Number(chosen.length === 0), ...Options.map((_, option) => Number(chosen.includes(option)))];
  });

/**
 * Seals a ballot. Bits other than those of an allowed answer give a ballot whose proofs a cheat has made as well as they can be made:
 * by the steps of an honest device.
 */
export function seal(
  { campagneId, questions, seuilAnonymat, Z, Y }: Vote,
  voter: string,
  bits: readonly (readonly number[])[],
  draws: Draws,
): Sealed {
  const S = sha256(
    canonical({
      campagneId,
      questions: questions.map(({ MinReponses, MaxReponses, ...question }) => ({
        ...question,
        MinReponses: Math.max(1, MinReponses),
        MaxReponses: Math.min(question.Options.length, MaxReponses),
      })),
      seuilAnonymat,
    }),
  );
  const V = voterOf(campagneId, voter);
  const slots = bits.map((ofQuestion) =>
    ofQuestion.map((bit) => {
      const r = draws.next();
      return { bit, r, alpha: times(r, B), beta: times(BigInt(bit), B).add(times(r, Y)) };
    }),
  );
  const X = Buffer.concat(slots.flat().flatMap(({ alpha, beta }) => [bytes(alpha), bytes(beta)]));
  const C = H('bulletin', Z, S, V, X);
  const proofs: Buffer[] = [];
  for (const [q, [abstention, ...options]] of slots.entries()) {
    for (const [index, { bit, r, alpha, beta }] of options.entries()) {
      const real = bit === 0 ? 0 : 1;
      const [e, z] = [
        [draws.next(), draws.next()],
        [draws.next(), draws.next()],
      ] as [bigint[], bigint[]];
      const w = draws.next();
      const A = [0, 1].map((b) =>
        b === real
          ? [times(w, B), times(w, Y)]
          : [
              times(z[b]!, B).subtract(times(e[b]!, alpha)),
              times(z[b]!, Y).subtract(times(e[b]!, beta.subtract(times(BigInt(b), B)))),
            ],
      );
      const all = Hs('option', C, u32(q), u32(index + 1), Buffer.concat(A.flat().map(bytes)));
      e[real] = mod(all - e[1 - real]!);
      z[real] = mod(w + e[real] * r);
      proofs.push(...e.map(littleEndian), ...z.map(littleEndian));
    }
    const least = Math.max(1, questions[q]!.MinReponses);
    const most = Math.min(questions[q]!.Options.length, questions[q]!.MaxReponses);
    const branches: [number, number][] = [[1, 0]];
    for (let number = least; number <= most; number++) branches.push([0, number]);
    const sum = options.reduce((total, { bit }) => total + bit, 0);
    const real = Math.max(
      0,
      branches.findIndex(([a, c]) => a === abstention!.bit && c === sum),
    );
    const alphas = options.reduce((total, { alpha }) => total.add(alpha), Point.ZERO);
    const betas = options.reduce((total, { beta }) => total.add(beta), Point.ZERO);
    const r = options.reduce((total, one) => total + one.r, 0n);
    const [w, wPlus] = [draws.next(), draws.next()];
    const drawn = branches.map(() => ({ e: draws.next(), z: draws.next(), zPlus: draws.next() }));
    const commitments = branches.map(([a, c], index) => {
      if (index === real) return [times(w, B), times(w, Y), times(wPlus, B), times(wPlus, Y)];
      const { e, z, zPlus } = drawn[index]!;
      return [
        times(z, B).subtract(times(e, abstention!.alpha)),
        times(z, Y).subtract(times(e, abstention!.beta.subtract(times(BigInt(a), B)))),
        times(zPlus, B).subtract(times(e, alphas)),
        times(zPlus, Y).subtract(times(e, betas.subtract(times(BigInt(c), B)))),
      ];
    });
    const all = Hs('nombre', C, u32(q), Buffer.concat(commitments.flat().map(bytes)));
    const others = drawn.reduce((total, { e }, index) => (index === real ? total : total + e), 0n);
    const e = mod(all - others);
    drawn[real] = { e, z: mod(w + e * abstention!.r), zPlus: mod(wPlus + e * r) };
    proofs.push(...drawn.flatMap((one) => [one.e, one.z, one.zPlus].map(littleEndian)));
  }
  return {
    ballot: Buffer.concat([Buffer.of(1), X, ...proofs]),
    aleas: slots.flat().map(({ r }) => littleEndian(r)),
  };
}

/** A line of bulletins.ndjson. */
export interface Cast {
  readonly bulletin: string;
  readonly classe: number;
  readonly poids: string;
  readonly votant: string;
}

/** A line of sommes.ndjson. */
export interface Sums {
  bulletins: number;
  classe: number;
  nombres: string[][][];
  poids: string[][][] | null;
  total: string;
  unite: string;
}

/** Units of 0.0001. */
export const units = (decimal: string): bigint => BigInt(Math.round(Number(decimal) * 10_000));
export const decimal = (value: bigint): string => String(Number(value) / 10_000);

function slotsOf(ballot: Buffer, questions: readonly Asked[]): P[][][] {
  let at = 1;
  const next = (): P => Point.fromBytes(ballot.subarray(at, (at += 32)));
  return questions.map(({ Options }) => [null, ...Options].map(() => [next(), next()]));
}

/** Sums that were made, by the ballots of a class: most forgeries change one class. */
const known = new Map<string, Sums>();

export function sumsOf(casts: readonly Cast[], questions: readonly Asked[]): Sums[] {
  const numbers = [...new Set(casts.map(({ classe }) => classe))].sort((one, other) => one - other);
  return numbers.map((classe) => {
    const ofClass = casts.filter((cast) => cast.classe === classe);
    const key = canonical(ofClass);
    const before = known.get(key);
    if (before) return before;
    const those = ofClass.map(({ bulletin, poids }) => ({
      slots: slotsOf(Buffer.from(bulletin, 'base64url'), questions),
      weight: units(poids),
    }));
    let g = 0n;
    for (const { weight } of those) for (let rest = weight; rest !== 0n;) [g, rest] = [rest, g % rest];
    const summed = (factor: (weight: bigint) => bigint): string[][][] =>
      questions.map(({ Options }, q) =>
        [null, ...Options].map((_, slot) =>
          [0, 1].map((letter) =>
            b64(
              those.reduce(
                (sum, { slots, weight }) => sum.add(times(factor(weight), slots[q]![slot]![letter]!)),
                Point.ZERO,
              ),
            ),
          ),
        ),
      );
    const made = {
      ...{ bulletins: those.length, classe, nombres: summed(() => 1n) },
      poids: those.every(({ weight }) => weight === those[0]!.weight) ? null : summed((weight) => weight / g),
      total: decimal(those.reduce((sum, { weight }) => sum + weight, 0n)),
      unite: decimal(g),
    };
    known.set(key, made);
    return made;
  });
}

/** The decryptions of some guardians. */
export function decryptionsOf(
  { campagneId, Z, guardians }: Ceremony,
  by: readonly number[],
  sums: readonly Sums[],
  D: Buffer,
  cheat: Cheat = {},
): File[] {
  const draws = new Draws('decryption');
  const alphas = sums
    .flatMap(({ nombres, poids }) => [...nombres.flat(), ...(poids ?? []).flat()])
    .map(([a]) => pointOf(a!));
  return by.map((j) => {
    const { key, share } = guardians[j - 1]!;
    const parts = alphas.map((alpha, index) => {
      const part = times(share, alpha);
      const named = [Z, D, u32(j), u32(index), bytes(alpha), bytes(part)];
      return { part: b64(part), preuve: equality(draws, share, alpha, 'dechiffrement', ...named) };
    });
    const file = {
      ...{ campagneId, gardien: j, tour: 4, precedent: b64(Z), depouillement: b64(D), parts },
    };
    return signedBy(key, file, cheat, 4, j);
  });
}
