import { hash } from 'node:crypto';
import sodium from 'libsodium-wrappers-sumo';

/** Arithmetic of ristretto255, and the hash of docs/encrypted-vote.md. Points and scalars are in their canonical encodings. */

await sodium.ready;

export type Point = Uint8Array;
export type Scalar = Uint8Array;

export const IDENTITY: Point = new Uint8Array(32);
export const isIdentity = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);
export const equal = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const valueOf = (scalar: Scalar): bigint => BigInt(`0x${Buffer.from(scalar).reverse().toString('hex')}`);

export const isPoint = (bytes: Uint8Array): boolean => sodium.crypto_core_ristretto255_is_valid_point(bytes);
/** All bytes above are 0 in most cases, so the large numbers are rarely made. */
export const isScalar = (bytes: Uint8Array): boolean => bytes[31]! < 0x10 || valueOf(bytes) < ORDER;

export const plus = (one: Point, other: Point): Point => sodium.crypto_core_ristretto255_add(one, other);
export const minus = (one: Point, other: Point): Point => sodium.crypto_core_ristretto255_sub(one, other);

/** The library throws where the product is the identity. */
export const times = (scalar: Scalar, point: Point): Point =>
  isIdentity(scalar) || isIdentity(point) ? IDENTITY : sodium.crypto_scalarmult_ristretto255(scalar, point);
export const timesBase = (scalar: Scalar): Point =>
  isIdentity(scalar) ? IDENTITY : sodium.crypto_scalarmult_ristretto255_base(scalar);

export const plusScalars = (one: Scalar, other: Scalar): Scalar =>
  sodium.crypto_core_ristretto255_scalar_add(one, other);
export const timesScalars = (one: Scalar, other: Scalar): Scalar =>
  sodium.crypto_core_ristretto255_scalar_mul(one, other);
export const inverse = (scalar: Scalar): Scalar => sodium.crypto_core_ristretto255_scalar_invert(scalar);

/** Returns a whole number modulo the order. */
export function scalarOf(value: bigint | number): Scalar {
  const rest = ((BigInt(value) % ORDER) + ORDER) % ORDER;
  return Buffer.from(rest.toString(16).padStart(64, '0'), 'hex').reverse();
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** `H(name; …)` */
export function hashOf(name: string, ...parts: readonly Uint8Array[]): Buffer {
  const all = [Buffer.from(`mandat/chiffre/1/${name}`), ...parts];
  return hash('sha512', Buffer.concat(all.flatMap((part) => [u32(part.length), part])), 'buffer');
}

/** `Hs(name; …)` */
export const challenge = (name: string, ...parts: readonly Uint8Array[]): Scalar =>
  sodium.crypto_core_ristretto255_scalar_reduce(hashOf(name, ...parts));

/** Returns true for a signature of Ed25519 that has no part of small order. The lengths are right. */
export const isSignedBy = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  sodium.crypto_sign_verify_detached(signature, message, key);

/** zB − eX */
export const committed = (z: Scalar, e: Scalar, X: Point): Point => minus(timesBase(z), times(e, X));
/** zP − eZ */
export const committedOn = (z: Scalar, P: Point, e: Scalar, Z: Point): Point =>
  minus(times(z, P), times(e, Z));

/**
 * Returns v with vB = point, from 0 to `most`, by baby steps and giant steps; undefined if there is none. It names the right figure
 * of a wrong one: for a check, a multiplication by the figure is enough.
 */
export function logOf(point: Point, most: bigint): bigint | undefined {
  const step = BigInt(Math.ceil(Math.sqrt(Number(most) + 1)));
  const base = timesBase(scalarOf(1));
  const steps = new Map<string, bigint>();
  let at = IDENTITY;
  for (let small = 0n; small < step; small++) {
    steps.set(Buffer.from(at).toString('latin1'), small);
    at = plus(at, base);
  }
  let rest = point;
  for (let giant = 0n; giant <= most; giant += step) {
    const small = steps.get(Buffer.from(rest).toString('latin1'));
    if (small !== undefined) return giant + small <= most ? giant + small : undefined;
    rest = minus(rest, at);
  }
  return undefined;
}
