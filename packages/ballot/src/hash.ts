import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { concat, u32, utf8 } from './bytes.js';
import { littleEndian, modulo } from './group.js';

const PREFIX = 'mandat/chiffre/1/';

/** The label of a name, in ASCII. */
export const labelOf = (name: string): Uint8Array => utf8(PREFIX + name);

/** `H(name; parts)` of docs/encrypted-vote.md. */
export function hash(name: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const digest = sha512.create();
  for (const part of [labelOf(name), ...parts]) digest.update(u32(part.length)).update(part);
  return digest.digest();
}

/** `Hs(name; parts)` of docs/encrypted-vote.md. */
export function hashToScalar(name: string, ...parts: readonly Uint8Array[]): bigint {
  return modulo(littleEndian(hash(name, ...parts)));
}

export function digestOf(...parts: readonly Uint8Array[]): Uint8Array {
  return sha256(concat(...parts));
}
