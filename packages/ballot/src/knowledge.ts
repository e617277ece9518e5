import { areEqual, concat } from './bytes.js';
import { decodeScalar, encodeScalar, type Group, modulo, type RandomBytes, randomScalar } from './group.js';

/** The two proofs of "The group and the hash" in docs/encrypted-vote.md. Each is `e ‖ z`. */
export const PROOF_BYTES = 64;

/** Returns the challenge for the prover's commitment. */
export type Challenge = (commitment: Uint8Array) => bigint;

/** Proves that `x` is known. */
export function proveKnowledge<P>(
  group: Group<P>,
  x: bigint,
  challenge: Challenge,
  random: RandomBytes,
): Uint8Array {
  const w = randomScalar(random);
  const e = challenge(group.encode(group.multiplyBase(w)));
  return concat(encodeScalar(e), encodeScalar(modulo(w + e * x)));
}

/** Returns true if the prover knows x with `X` = xB. */
export function knows<P>(group: Group<P>, X: P, proof: Uint8Array, challenge: Challenge): boolean {
  const parts = partsOf(proof);
  if (!parts) return false;
  const { e, z } = parts;
  return e === challenge(group.encode(committed(group, z, e, X)));
}

/** Proves that the discrete logarithm of xB and of x`P` is the same. */
export function proveEquality<P>(
  group: Group<P>,
  x: bigint,
  point: P,
  challenge: Challenge,
  random: RandomBytes,
): Uint8Array {
  const w = randomScalar(random);
  const e = challenge(concat(group.encode(group.multiplyBase(w)), group.encode(group.multiply(w, point))));
  return concat(encodeScalar(e), encodeScalar(modulo(w + e * x)));
}

/** Returns true if `X` = xB and `Z` = x`point` for one x. */
export function areEqualLogarithms<P>(
  group: Group<P>,
  { X, point, Z }: { readonly X: P; readonly point: P; readonly Z: P },
  proof: Uint8Array,
  challenge: Challenge,
): boolean {
  const parts = partsOf(proof);
  if (!parts) return false;
  const { e, z } = parts;
  const second = group.subtract(group.multiply(z, point), group.multiply(e, Z));
  return e === challenge(concat(group.encode(committed(group, z, e, X)), group.encode(second)));
}

const committed = <P>(group: Group<P>, z: bigint, e: bigint, X: P): P =>
  group.subtract(group.multiplyBase(z), group.multiply(e, X));

function partsOf(proof: Uint8Array): { e: bigint; z: bigint } | undefined {
  const e = decodeScalar(proof.subarray(0, PROOF_BYTES / 2));
  const z = decodeScalar(proof.subarray(PROOF_BYTES / 2));
  return e === undefined || z === undefined ? undefined : { e, z };
}

/** Returns true if both are the same point. */
export const isSame = <P>(group: Group<P>, one: P, other: P): boolean =>
  areEqual(group.encode(one), group.encode(other));
