import { concat } from './bytes.js';
import { encodeScalar, type Group, littleEndian, modulo, POINT_BYTES, SCALAR_BYTES } from './group.js';
import type { Answer, Ciphertext } from './proofs.js';
import { ciphertextsLength, numberBranchesOf } from './structure.js';
import type { Vote } from './vote.js';

/** The first byte of a ballot. */
export const VERSION = 1;

/** Places from 0. Without an option, it is the slot of abstentions, or the whole question. */
export interface Place {
  readonly question?: number;
  readonly option?: number;
}

/** The ciphertexts of the slots of each question. */
export type Slots<P> = readonly (readonly Ciphertext<P>[])[];

export interface QuestionProofs {
  /** The two branches of each option. */
  readonly options: readonly (readonly Answer[])[];
  readonly number: readonly Answer[];
}

/** Returns X. */
export function writeCiphertexts<P>(group: Group<P>, slots: Slots<P>): Uint8Array {
  return concat(...slots.flat().flatMap(({ alpha, beta }) => [group.encode(alpha), group.encode(beta)]));
}

export function writeBallot(ciphertexts: Uint8Array, proofs: readonly QuestionProofs[]): Uint8Array {
  const scalars = proofs.flatMap(({ options, number }) => [
    ...options.flatMap((branches) => [
      ...branches.map(({ challenge }) => challenge),
      ...branches.flatMap(({ responses }) => responses),
    ]),
    ...number.flatMap(({ challenge, responses }) => [challenge, ...responses]),
  ]);
  return concat(Uint8Array.of(VERSION), ciphertexts, ...scalars.map(encodeScalar));
}

/** The bytes of one point or scalar. */
interface Part extends Place {
  readonly bytes: Uint8Array;
}

export interface Ballot<P> {
  readonly ciphertexts: Uint8Array;
  /** Points, in the order of X. */
  readonly points: readonly (Part & { readonly point: P | undefined })[];
  readonly scalars: readonly Part[];
  /** Points are defined if all of `points` are. */
  readonly slots: Slots<P>;
  readonly proofs: readonly QuestionProofs[];
}

/** Reads a ballot without checking it. */
export function readBallot<P>({ group, limits }: Vote<P>, bytes: Uint8Array): Ballot<P> {
  const points: Ballot<P>['points'][number][] = [];
  const scalars: Part[] = [];
  let at = 1;
  const take = (length: number): Uint8Array => bytes.subarray(at, (at += length));
  const point = (place: Place): P => {
    const encoded = take(POINT_BYTES);
    const decoded = group.decode(encoded);
    points.push({ ...place, bytes: encoded, point: decoded });
    return decoded as P;
  };
  const scalar = (place: Place): bigint => {
    const encoded = take(SCALAR_BYTES);
    scalars.push({ ...place, bytes: encoded });
    return modulo(littleEndian(encoded));
  };

  const slots = limits.map(({ options }, question) =>
    placesOf(question, options + 1, 1).map((place) => ({ alpha: point(place), beta: point(place) })),
  );
  const proofs = limits.map((limit, question) => ({
    options: placesOf(question, limit.options, 0).map((place) => {
      const [e0, e1, z0, z1] = [scalar(place), scalar(place), scalar(place), scalar(place)];
      return [
        { challenge: e0, responses: [z0] },
        { challenge: e1, responses: [z1] },
      ];
    }),
    number: numberBranchesOf(limit).map(() => ({
      challenge: scalar({ question }),
      responses: [scalar({ question }), scalar({ question })],
    })),
  }));
  return { ciphertexts: bytes.subarray(1, 1 + ciphertextsLength(limits)), points, scalars, slots, proofs };
}

/** Places in a question, of which so many first ones are before its options. */
function placesOf(question: number, count: number, before: number): Place[] {
  return Array.from({ length: count }, (_, n) =>
    n < before ? { question } : { question, option: n - before },
  );
}
