import { createHash } from 'node:crypto';

/** The Merkle tree of RFC 6962 and the checks of its proofs (RFC 9162, sections 2.1.3.2 and 2.1.4.2), without the service's code. */
const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const leaf = (data: Buffer): Buffer => sha256(Buffer.of(0), data);
const node = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.of(1), left, right);

/** Root of a list of entries, by the recursion of section 2.1. */
export function merkleRoot(entries: readonly Buffer[]): Buffer {
  if (entries.length === 1) return leaf(entries[0]!);
  let half = 1;
  while (half * 2 < entries.length) half *= 2;
  return node(merkleRoot(entries.slice(0, half)), merkleRoot(entries.slice(half)));
}

/** Root that an inclusion proof leads to; undefined for a proof of a wrong length. */
export function rootByInclusion(
  entry: Buffer,
  index: number,
  size: number,
  proof: readonly Buffer[],
): Buffer | undefined {
  let [fn, sn, root] = [index, size - 1, leaf(entry)];
  for (const one of proof) {
    if (sn === 0) return undefined;
    if (fn % 2 === 1 || fn === sn) {
      root = node(one, root);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else root = node(root, one);
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  return sn === 0 ? root : undefined;
}

/** Whether a consistency proof joins two roots. */
export function isConsistent(
  [first, firstRoot]: readonly [number, Buffer],
  [second, secondRoot]: readonly [number, Buffer],
  proof: readonly Buffer[],
): boolean {
  if (first === second) return proof.length === 0 && firstRoot.equals(secondRoot);
  const isPower = (first & (first - 1)) === 0;
  const path = isPower ? [firstRoot, ...proof] : [...proof];
  if (proof.length === 0 || path.length === 0) return false;
  let [fn, sn] = [first - 1, second - 1];
  while (fn % 2 === 1) [fn, sn] = [fn >> 1, sn >> 1];
  let [fr, sr] = [path[0]!, path[0]!];
  for (const one of path.slice(1)) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      [fr, sr] = [node(one, fr), node(one, sr)];
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else sr = node(sr, one);
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  return sn === 0 && fr.equals(firstRoot) && sr.equals(secondRoot);
}
