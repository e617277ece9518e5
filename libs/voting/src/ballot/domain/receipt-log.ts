import { hash } from 'node:crypto';
import { DomainError } from '#platform/errors/domain-error';
import { RECU } from '../../domain/voting.errors';
import { fr, type Text } from '#platform/errors/text';

/** Number of bytes of a digest in the log. */
export const DIGEST_BYTES = 32;

/** Returns the digest of a receipt from base64url; undefined for another text, also for another text of the same bytes. */
export function receiptDigest(text: string): Buffer | undefined {
  const digest = Buffer.from(text, 'base64url');
  return digest.length === DIGEST_BYTES && digest.toString('base64url') === text ? digest : undefined;
}

/** Returns the digest of a text that writes it in hex or in base64, with padding or without. */
function digestOfAnyForm(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/**
 * `Recu.NotFound` for a text that was given as a receipt or as the digest of one. A digest in another form, or in the place
 * of its receipt, gets the address of its proof.
 */
export function noReceipt(campagneId: string, given: string): DomainError {
  const digest = digestOfAnyForm(given)?.toString('base64url');
  if (digest === undefined || digest === given) return new DomainError(RECU.NotFound, NO_RECEIPT);
  const path = `/plateforme/v1/campagnes/${campagneId}/recus/${digest}/preuve`;
  return new DomainError(RECU.NotFound, {
    en: `No ballot of this campaign has this receipt. If this is the SHA-256 of a receipt, its proof is at ${path}.`,
    fr: fr`Aucun bulletin de cette campagne n'a ce reçu. Si ceci est le SHA-256 d'un reçu, sa preuve est à ${path}.`,
  });
}

const NO_RECEIPT: Text = {
  en: 'No ballot of this campaign has this receipt. Ask `…/recus/{recu}` with the receipt itself, or `…/recus/{empreinte}/preuve` with the SHA-256 of the receipt in base64url.',
  fr: fr(
    "Aucun bulletin de cette campagne n'a ce reçu. Appelez `…/recus/{recu}` avec le reçu lui-même, ou `…/recus/{empreinte}/preuve` avec le SHA-256 du reçu en base64url.",
  ),
};

/** Levels above the leaves whose complete subtrees are stored: 256 and 65,536 leaves (docs/adr/0042). */
const STORED_LEVELS = [8, 16];

/** The root of a complete subtree. Its leaves are those from `place` × 2 ^ `niveau` on. */
export interface Noeud {
  readonly niveau: number;
  readonly place: number;
  readonly empreinte: Buffer;
}

/**
 * Reads the hash of a complete subtree: of a leaf (level 0), or of a stored level. A proof reads at most two runs of 256
 * hashes of each level.
 */
export type ReadSubtree = (niveau: number, place: number) => Buffer;

/** Hash of a leaf (RFC 6962, section 2.1). @param digest SHA-256 of a receipt */
export function leafHash(digest: Buffer): Buffer {
  return bytesOf(leafText(digest));
}

function nodeHash(left: Buffer, right: Buffer): Buffer {
  return bytesOf(nodeText(left.toString('latin1'), right.toString('latin1')));
}

/** The inputs of hashes, which each hash reuses: a large log takes millions. Their first byte is that of leaves or of nodes. */
const LEAF = Buffer.alloc(1 + DIGEST_BYTES);
const NODE = Buffer.alloc(1 + 2 * DIGEST_BYTES, 1);

/** Hashes as latin1 text (`binary` in `hash`), which takes a third of the time of buffers and less memory. */
function leafText(digest: Buffer): string {
  LEAF.set(digest, 1);
  return hash('sha256', LEAF, 'binary');
}

function nodeText(left: string, right: string): string {
  NODE.write(left, 1, 'latin1');
  NODE.write(right, 1 + DIGEST_BYTES, 'latin1');
  return hash('sha256', NODE, 'binary');
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** The receipts of a campaign as a Merkle tree (RFC 6962, section 2.1) that grows leaf by leaf. */
export class ReceiptLog {
  /** Number of leaves. */
  size = 0;
  /** The nodes to store, in the order in which their last leaves came. */
  readonly noeuds: Noeud[] = [];
  /** Roots of the complete subtrees, the largest first: one for each bit of the size. */
  private readonly subtrees: string[] = [];

  /** @param digest SHA-256 of a receipt */
  append(digest: Buffer): void {
    let text = leafText(digest);
    for (let niveau = 1, rest = this.size; rest % 2 === 1; niveau++) {
      text = nodeText(this.subtrees.pop()!, text);
      rest = Math.floor(rest / 2);
      if (STORED_LEVELS.includes(niveau))
        this.noeuds.push({ niveau, place: Math.floor(this.size / 2 ** niveau), empreinte: bytesOf(text) });
    }
    this.subtrees.push(text);
    this.size++;
  }

  /** The root of the tree, which has a leaf. */
  root(): Buffer {
    return bytesOf(this.subtrees.reduceRight((right, left) => nodeText(left, right)));
  }
}

/** Root of the leaves from one place to another, which is not included. */
function rootOf(read: ReadSubtree, from: number, to: number): Buffer {
  const niveau = [0, ...STORED_LEVELS].find((one) => 2 ** one === to - from);
  if (niveau !== undefined) return read(niveau, from / (to - from));
  const middle = from + halfOf(to - from);
  return nodeHash(rootOf(read, from, middle), rootOf(read, middle, to));
}

/** The largest power of two below a number of leaves. */
function halfOf(size: number): number {
  return 2 ** Math.ceil(Math.log2(size) - 1);
}

/** Inclusion proof of a leaf (RFC 6962, section 2.1.1), from the leaf upwards. */
export function inclusionProof(read: ReadSubtree, index: number, size: number): Buffer[] {
  return path(read, index, 0, size);
}

function path(read: ReadSubtree, index: number, from: number, to: number): Buffer[] {
  if (to - from === 1) return [];
  const middle = from + halfOf(to - from);
  return index < middle
    ? [...path(read, index, from, middle), rootOf(read, middle, to)]
    : [...path(read, index, middle, to), rootOf(read, from, middle)];
}

/** Consistency proof of two sizes (RFC 6962, section 2.1.2). @param old from 1 to `size` */
export function consistencyProof(read: ReadSubtree, old: number, size: number): Buffer[] {
  return subproof(read, old, 0, size);
}

function subproof(read: ReadSubtree, old: number, from: number, to: number): Buffer[] {
  // The reader knows the root of the old tree, unless the subtree is only a part of it.
  if (old === to) return from === 0 ? [] : [rootOf(read, from, to)];
  const middle = from + halfOf(to - from);
  return old <= middle
    ? [...subproof(read, old, from, middle), rootOf(read, middle, to)]
    : [...subproof(read, old, middle, to), rootOf(read, from, middle)];
}
