import { createHash } from 'node:crypto';

/** The Merkle tree of RFC 6962, section 2.1, by its recursive definitions. */

export const sha256 = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const half = (size: number): number => {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
};

export function root(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256('');
  if (leaves.length === 1) return sha256(Buffer.of(0), leaves[0]!);
  const k = half(leaves.length);
  return sha256(Buffer.of(1), root(leaves.slice(0, k)), root(leaves.slice(k)));
}

export function inclusion(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return [];
  const k = half(leaves.length);
  return index < k
    ? [...inclusion(index, leaves.slice(0, k)), root(leaves.slice(k))]
    : [...inclusion(index - k, leaves.slice(k)), root(leaves.slice(0, k))];
}

export const consistency = (size: number, leaves: readonly Buffer[]): Buffer[] =>
  subproof(size, leaves, true);

function subproof(size: number, leaves: readonly Buffer[], isWhole: boolean): Buffer[] {
  if (size === leaves.length) return isWhole ? [] : [root(leaves)];
  const k = half(leaves.length);
  return size <= k
    ? [...subproof(size, leaves.slice(0, k), isWhole), root(leaves.slice(k))]
    : [...subproof(size - k, leaves.slice(k), false), root(leaves.slice(0, k))];
}
