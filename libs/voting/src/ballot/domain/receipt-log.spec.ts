import { hash } from 'node:crypto';
import { isConsistent, merkleRoot, rootByInclusion } from '../../../../../test/voting/support/rfc6962';
import { depth, SEED } from '../../../../../test/setup/depth';
import { seeded } from '../../../../../test/setup/seeded';
import {
  consistencyProof,
  inclusionProof,
  leafHash,
  receiptDigest,
  ReceiptLog,
  type ReadSubtree,
} from './receipt-log';

const random = seeded(SEED);
const below = (limit: number): number => Math.floor(random() * limit);
const digest = (n: number): Buffer => hash('sha256', `receipt ${n}`, 'buffer');

/** More than two complete subtrees of the larger stored level. */
const LARGEST = 131_400;
const digests = Array.from({ length: LARGEST }, (_, n) => digest(n));

/** A log of the first receipts, and a reader that counts what a proof reads. */
function logOf(size: number): { log: ReceiptLog; read: ReadSubtree; reads: Map<number, Set<number>> } {
  const log = new ReceiptLog();
  for (const one of digests.slice(0, size)) log.append(one);
  const nodes = new Map(log.noeuds.map(({ niveau, place, empreinte }) => [`${niveau} ${place}`, empreinte]));
  const reads = new Map([0, 8, 16].map((niveau) => [niveau, new Set<number>()]));
  const read: ReadSubtree = (niveau, place) => {
    reads.get(niveau)!.add(place);
    const found = niveau === 0 ? leafHash(digests[place]!) : nodes.get(`${niveau} ${place}`);
    if (!found) throw new Error(`No subtree ${niveau} ${place}.`);
    return found;
  };
  return { log, read, reads };
}

const EDGES = [1, 2, 3, 4, 5, 255, 256, 257, 511, 512, 513, 65_536, 65_793, LARGEST];
const sizes = [
  ...EDGES,
  ...Array.from({ length: depth(6, 40) }, () => 1 + below(700)),
  ...Array.from({ length: depth(1, 12) }, () => 1 + below(LARGEST)),
];

describe('the log of receipts', () => {
  it.each(sizes)('has the root and the nodes of RFC 6962 with %i receipts', (size) => {
    const { log } = logOf(size);
    expect(log.root()).toEqual(merkleRoot(digests.slice(0, size)));
    expect(log.noeuds).toHaveLength(Math.floor(size / 256) + Math.floor(size / 65_536));
    for (const { niveau, place, empreinte } of [...log.noeuds.slice(0, 3), ...log.noeuds.slice(-3)]) {
      const leaves = digests.slice(place * 2 ** niveau, (place + 1) * 2 ** niveau);
      expect(merkleRoot(leaves)).toEqual(empreinte);
    }
  });

  it.each(sizes)('proves receipts of %i by at most two runs of 256 hashes of each level', (size) => {
    const { log, read, reads } = logOf(size);
    const root = log.root();
    for (const index of [0, size - 1, below(size), below(size), below(size)]) {
      for (const places of reads.values()) places.clear();
      const proof = inclusionProof(read, index, size);
      expect(rootByInclusion(digests[index]!, index, size, proof)).toEqual(root);
      for (const places of reads.values()) expect(places.size).toBeLessThanOrEqual(512);
      const wrong = rootByInclusion(digest(-1), index, size, proof);
      expect(wrong?.equals(root)).toBe(false);
    }
  });

  it.each(sizes)('proves that the log of %i receipts begins with those of smaller sizes', (size) => {
    const { log, read, reads } = logOf(size);
    const whole = [size, log.root()] as const;
    for (const old of [1, size, 1 + below(size), 1 + below(size), Math.min(size, 256)]) {
      for (const places of reads.values()) places.clear();
      const proof = consistencyProof(read, old, size);
      const before = [old, merkleRoot(digests.slice(0, old))] as const;
      expect(isConsistent(before, whole, proof)).toBe(true);
      for (const places of reads.values()) expect(places.size).toBeLessThanOrEqual(512);
      expect(isConsistent([old, digest(-1)], whole, proof)).toBe(false);
    }
  });
});

describe('the digest of a receipt', () => {
  it('is 32 bytes in the one form of base64url', () => {
    const bytes = digest(1);
    const text = bytes.toString('base64url');
    expect(receiptDigest(text)).toEqual(bytes);
    const last = text.at(-1)!;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // Two bits of the last character belong to no byte.
    const other = text.slice(0, -1) + alphabet[alphabet.indexOf(last) + 1]!;
    expect(Buffer.from(other, 'base64url')).toEqual(bytes);
    for (const wrong of [
      '',
      other,
      `${text}=`,
      text.slice(1),
      `${text}A`,
      ` ${text.slice(1)}`,
      bytes.toString('hex'),
    ])
      expect(receiptDigest(wrong)).toBeUndefined();
  });
});
