import { sha256 } from './bytes.js';

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

export const DIGEST = 32;

export const leafHash = (digest: Uint8Array): Buffer => sha256(LEAF, digest);
const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(NODE, left, right);

/** The roots of complete subtrees of a growing log, from the largest to the smallest. */
export class Frontier {
  size = 0;
  private readonly peaks: Buffer[] = [];

  add(digest: Uint8Array): void {
    let hash = leafHash(digest);
    for (let rest = this.size; rest % 2 === 1; rest = (rest - 1) / 2)
      hash = nodeHash(this.peaks.pop()!, hash);
    this.peaks.push(hash);
    this.size++;
  }

  root(): Buffer {
    if (this.peaks.length === 0) return sha256(Buffer.alloc(0));
    return this.peaks.reduceRight((right, left) => nodeHash(left, right));
  }
}

/** Returns the roots of the first `n` digests for each of the sizes, which must not exceed their number. */
export function rootsOf(
  digests: Buffer,
  sizes: Iterable<number>,
  progress?: (done: number) => void,
): Map<number, string> {
  const roots = new Map<number, string>();
  const frontier = new Frontier();
  for (const size of [...new Set(sizes)].sort((one, other) => one - other)) {
    while (frontier.size < size) {
      const at = frontier.size * DIGEST;
      frontier.add(digests.subarray(at, at + DIGEST));
      if (frontier.size % 65_536 === 0) progress?.(frontier.size);
    }
    roots.set(size, frontier.root().toString('base64url'));
  }
  return roots;
}

/** Returns the root that an inclusion proof leads to; undefined if its length is wrong. */
export function rootOfInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Buffer | undefined {
  if (index >= size) return undefined;
  let [node, last] = [index, size - 1];
  let hash: Buffer = Buffer.from(leaf);
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else hash = nodeHash(hash, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : undefined;
}

/** Whether a consistency proof shows that the tree of `second` leaves continues the tree of `first` leaves. */
export function isConsistent(
  first: number,
  second: number,
  firstRoot: Uint8Array,
  secondRoot: Uint8Array,
  proof: readonly Uint8Array[],
): boolean {
  if (first < 1 || first > second) return false;
  if (first === second) return proof.length === 0 && Buffer.compare(firstRoot, secondRoot) === 0;
  let [node, last] = [first - 1, second - 1];
  while (node % 2 === 1) [node, last] = [(node - 1) / 2, Math.floor(last / 2)];
  const path = node === 0 ? [firstRoot, ...proof] : [...proof];
  const start = path.shift();
  if (!start) return false;
  let old: Buffer = Buffer.from(start);
  let now = old;
  for (const sibling of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      old = nodeHash(sibling, old);
      now = nodeHash(sibling, now);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else now = nodeHash(now, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && old.equals(firstRoot) && now.equals(secondRoot);
}
