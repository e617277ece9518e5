import { decoded } from '../bytes.js';
import { Malformed } from '../findings.js';
import { isIdentity, isPoint, isScalar, type Point, type Scalar } from './group.js';
import { count, list, record, type Shape, text } from '../shapes.js';

/** The longest line of the files of an encrypted vote: one of decryptions has each ciphertext of each class. */
export const LONGEST_LINE = 1 << 28;

/** Bytes in base64url. */
export const bytes =
  (length: number): Shape<Buffer> =>
  (value, at) => {
    const found = typeof value === 'string' ? decoded(value, 'base64url', length) : undefined;
    if (!found) throw new Malformed(at, `${length} bytes in base64url`, JSON.stringify(value) ?? 'nothing');
    return found;
  };

export const point: Shape<Point> = (value, at) => asPoint(bytes(32)(value, at), at);
export const scalar: Shape<Scalar> = (value, at) => asScalar(bytes(32)(value, at), at);
export const properPoint: Shape<Point> = (value, at) => asProperPoint(bytes(32)(value, at), at);

export function asPoint(found: Uint8Array, at: string): Point {
  if (!isPoint(found)) throw new Malformed(at, 'a canonical point of ristretto255', base64url(found));
  return found;
}

export function asProperPoint(found: Uint8Array, at: string): Point {
  if (isIdentity(asPoint(found, at)))
    throw new Malformed(at, 'a point other than the identity', 'the identity');
  return found;
}

export function asScalar(found: Uint8Array, at: string): Scalar {
  if (!isScalar(found)) throw new Malformed(at, 'a scalar below the order', base64url(found));
  return found;
}

export interface Proof {
  readonly e: Scalar;
  readonly z: Scalar;
}

/** `e ‖ z` */
export const proof: Shape<Proof> = (value, at) => {
  const found = bytes(64)(value, at);
  return { e: asScalar(found.subarray(0, 32), at), z: asScalar(found.subarray(32), at) };
};

export const base64url = (found: Uint8Array): string => Buffer.from(found).toString('base64url');

/** An identifier of any case, as its 16 bytes. */
export function identifier(value: string, at: string): Buffer {
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)) throw new Malformed(at, 'a UUID', value);
  return Buffer.from(value.replaceAll('-', ''), 'hex');
}

/** Members of every file of a guardian. */
export const signedMembers = { campagneId: text, gardien: count, tour: count, signature: bytes(64) };

/** `[α, β]` for each slot of each question. */
export const ciphertexts: Shape<Point[][][]> = list(
  list((value, at) => {
    const pair = list(point, 2)(value, at);
    if (pair.length !== 2) throw new Malformed(at, '[α, β]', JSON.stringify(value));
    return pair;
  }),
);

export const partShape = record({ part: point, preuve: proof });
