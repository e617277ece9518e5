import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { base64url, bytesOf, concat, utf8 } from './bytes.js';
import { littleEndian, modulo } from './group.js';
import { digestOf, labelOf } from './hash.js';
import { canonical } from './json.js';

/** Members of every file of a guardian (docs/encrypted-vote.md, "The ceremony"). */
export interface SignedFile {
  readonly campagneId: string;
  readonly gardien: number;
  readonly tour: number;
  readonly signature: string;
}

type EdwardsPoint = typeof ed25519.Point.BASE;

export const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** Returns the signed bytes of a file with or without its signature. */
function signedBytes(file: object): Uint8Array {
  const content = Object.entries(file).filter(([name]) => name !== 'signature');
  return concat(labelOf('fichier'), Uint8Array.of(0), utf8(canonical(Object.fromEntries(content))));
}

export function sign<T extends object>(content: T, seed: Uint8Array): T & { readonly signature: string } {
  return { ...content, signature: base64url(ed25519.sign(signedBytes(content), seed)) };
}

export const publicKeyOf = (seed: Uint8Array): Uint8Array => ed25519.getPublicKey(seed);

/** Returns true for a signature that every verifier accepts (docs/encrypted-vote.md, "The ceremony"). */
export function isSigned(file: SignedFile, key: Uint8Array): boolean {
  const signature = bytesOf(file.signature);
  if (signature?.length !== SIGNATURE_BYTES) return false;
  const signed = signedBytes(file);
  return ed25519.verify(signature, signed, key, { zip215: false }) && isExact(signature, signed, key);
}

/**
 * Returns true if SB = R + kA, and R is not of small order. The library checks neither: it multiplies the equation by the cofactor, which
 * RFC 8032 allows, and OpenSSL and libsodium do not.
 */
function isExact(signature: Uint8Array, signed: Uint8Array, key: Uint8Array): boolean {
  const [encodedR, S] = [signature.subarray(0, KEY_BYTES), signature.subarray(KEY_BYTES)];
  const [R, A] = [encodedR, key].map((point) => ed25519.Point.fromBytes(point)) as [
    EdwardsPoint,
    EdwardsPoint,
  ];
  const k = modulo(littleEndian(sha512(concat(encodedR, key, signed))));
  const SB = ed25519.Point.BASE.multiplyUnsafe(littleEndian(S));
  return !R.isSmallOrder() && R.add(A.multiplyUnsafe(k)).equals(SB);
}

/** `digest(file)`. */
export const digestOfFile = (file: SignedFile): Uint8Array => digestOf(utf8(canonical(file)));

/** Returns the fingerprint that guardians compare by telephone: the first 16 bytes of the digest of the file of round 1. */
export const fingerprintOf = (file: SignedFile): string =>
  [...digestOfFile(file).subarray(0, 16)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .replace(/(.{4})(?=.)/g, '$1 ');
