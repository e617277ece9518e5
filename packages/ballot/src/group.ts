/** The order of ristretto255. */
export const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

export const POINT_BYTES = 32;
export const SCALAR_BYTES = 32;

/**
 * The group of an encrypted vote, ristretto255, with points as a library has them (docs/encrypted-vote.md, "The group and the hash").
 * Scalars are numbers from 0 to `ORDER` - 1.
 */
export interface Group<P> {
  readonly base: P;
  readonly identity: P;
  /** Returns undefined for anything but the canonical encoding of a point. */
  decode(bytes: Uint8Array): P | undefined;
  encode(point: P): Uint8Array;
  add(one: P, other: P): P;
  /** Adds the point of an encoding. Returns undefined like `decode`, but is faster than it and `add`. */
  addEncoded(one: P, bytes: Uint8Array): P | undefined;
  subtract(one: P, other: P): P;
  multiply(scalar: bigint, point: P): P;
  /** Returns a point with which many multiplications are faster. */
  prepare(point: P): P;
  /** The generator, times a scalar. */
  multiplyBase(scalar: bigint): P;
}

/** A number in its class modulo `ORDER`. */
export function modulo(n: bigint): bigint {
  const rest = n % ORDER;
  return rest < 0n ? rest + ORDER : rest;
}

/** Little-endian bytes as a number. */
export function littleEndian(bytes: Uint8Array): bigint {
  let hex = '0x0';
  for (let at = bytes.length - 1; at >= 0; at--) hex += bytes[at]!.toString(16).padStart(2, '0');
  return BigInt(hex);
}

/** Returns undefined for anything but the 32 bytes of a number below `ORDER`. */
export function decodeScalar(bytes: Uint8Array): bigint | undefined {
  if (bytes.length !== SCALAR_BYTES) return undefined;
  const scalar = littleEndian(bytes);
  return scalar < ORDER ? scalar : undefined;
}

export function encodeScalar(scalar: bigint): Uint8Array {
  const bytes = new Uint8Array(SCALAR_BYTES);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < SCALAR_BYTES; at += 8) view.setBigUint64(at, scalar >> BigInt(8 * at), true);
  return bytes;
}

/** A source of random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

export const systemRandom: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** A random scalar other than 0. */
export function randomScalar(random: RandomBytes = systemRandom): bigint {
  for (;;) {
    const scalar = modulo(littleEndian(random(64)));
    if (scalar !== 0n) return scalar;
  }
}
