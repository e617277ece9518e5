import { bytesOf } from './bytes.js';
import { decodeScalar, type Group, POINT_BYTES, SCALAR_BYTES } from './group.js';

/** Content that is not what docs/encrypted-vote.md says. */
export class Malformed extends Error {}

const fail = (expected: string): never => {
  throw new Malformed(`Expected ${expected}.`);
};

/** Readers of parts of a parsed JSON. @throws Malformed */
export const read = {
  /** An object with exactly these members. */
  object(value: unknown, ...names: readonly string[]): Record<string, unknown> {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return fail('an object');
    const found = Object.keys(value);
    if (found.length !== names.length || !names.every((name) => Object.hasOwn(value, name)))
      return fail(`the members ${names.join(', ')}`);
    return value as Record<string, unknown>;
  },

  list<T>(value: unknown, item: (value: unknown, at: number) => T, length?: number): T[] {
    if (!Array.isArray(value)) return fail('a list');
    if (length !== undefined && value.length !== length) fail(`${length} items`);
    return value.map((one, at) => item(one, at));
  },

  text: (value: unknown): string => (typeof value === 'string' ? value : fail('a text')),

  /** A whole number from `least` to 2^32 - 1. */
  number: (value: unknown, least = 0): number =>
    Number.isInteger(value) && (value as number) >= least && (value as number) < 2 ** 32
      ? (value as number)
      : fail('a whole number'),

  bytes(value: unknown, length?: number): Uint8Array {
    const bytes = typeof value === 'string' ? bytesOf(value) : undefined;
    if (!bytes || (length !== undefined && bytes.length !== length))
      return fail(`${length ?? ''} bytes in base64url`);
    return bytes;
  },

  point: <P>(group: Group<P>, value: unknown): P =>
    group.decode(read.bytes(value, POINT_BYTES)) ?? fail('a point'),

  scalar: (value: unknown): bigint => decodeScalar(read.bytes(value, SCALAR_BYTES)) ?? fail('a scalar'),
};

/** Returns undefined instead of throwing `Malformed`. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
