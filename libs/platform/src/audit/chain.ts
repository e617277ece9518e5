import { Injectable } from '@nestjs/common';
import { KeyRing } from '../ops/key-ring';
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** An entry of the audit trail, with its position. */
export interface JournalEntry {
  /** Position in the chain, from 1 without a gap. */
  readonly numero: number;
  readonly id: string;
  /** ISO 8601, in milliseconds. */
  readonly date: string;
  readonly cleId: string;
  readonly action: string;
  readonly objetId: string;
  readonly requeteId: string;
  /** JSON: changes of a bulk write; otherwise null. */
  readonly detail: string | null;
}

/** An entry with its keyed digest. */
export interface ChainedEntry extends JournalEntry {
  readonly empreinte: Buffer;
  /** Id of the key of the digest; null if the key had none. */
  readonly cleSecrets: string | null;
}

/** Where a chain ends. */
export interface ChainEnd {
  readonly numero: number;
  readonly empreinte: Buffer;
}

/** The end of a chain as it is stored. */
export interface SealedEnd extends ChainEnd {
  readonly sceau: Buffer;
  /** Id of the key of the seal; null if the key had none. */
  readonly cleSecrets: string | null;
}

/** Where every chain begins. */
export const GENESIS: ChainEnd = { numero: 0, empreinte: Buffer.alloc(32) };

/**
 * The chain of a space's audit entries (docs/adr/0017). Each entry carries a keyed digest of itself and of the one before,
 * and the end of the chain carries a seal. An attacker without the key, which is not in the database, cannot change,
 * remove, add or move an entry undetected.
 */
@Injectable()
export class Chain {
  private readonly ring: KeyRing;

  /** @param secretsKeys keys that the chain's own keys are derived from */
  constructor(secretsKeys: KeyRing) {
    this.ring = secretsKeys.map((bytes) => Buffer.from(hkdfSync('sha256', bytes, '', 'mandat journal', 32)));
  }

  /** Id of the key that `link` and `seal` use; null if it has none. */
  get cleSecrets(): string | null {
    return this.ring.newest.id;
  }

  /** Whether this id names no key of SECRETS_KEY. */
  lacks(cleSecrets: string | null): boolean {
    return this.ring.lacks(cleSecrets);
  }

  /**
   * The digest of an entry behind the one of digest `before`, with the newest key.
   *
   * @param attested for an attestation, the digest of all entries before it
   */
  link(space: string, before: Buffer, entry: JournalEntry, attested?: Buffer): Buffer {
    return linkWith(this.ring.newest.bytes, space, before, entry, attested);
  }

  /** Whether an entry has the digest that the key of its time gives it. */
  isLink(space: string, before: Buffer, entry: ChainedEntry, attested?: Buffer): boolean {
    return this.ring
      .candidates(entry.cleSecrets)
      .some(({ bytes }) => entry.empreinte?.equals(linkWith(bytes, space, before, entry, attested)));
  }

  /** Digest that proves the end of the chain, with the newest key. */
  seal(space: string, end: ChainEnd): Buffer {
    return sealWith(this.ring.newest.bytes, space, end);
  }

  isSealed(space: string, { sceau, cleSecrets, ...end }: SealedEnd): boolean {
    return this.ring.candidates(cleSecrets).some(({ bytes }) => {
      const expected = sealWith(bytes, space, end);
      return sceau.length === expected.length && timingSafeEqual(sceau, expected);
    });
  }
}

/** Digest, without a key, of all entries of a trail up to one: an attestation proves it with a key. */
export class Transcript {
  private readonly hash = createHash('sha256');

  add(entry: ChainedEntry): void {
    const { numero, id, date, cleId, action, objetId, requeteId, detail, empreinte, cleSecrets } = entry;
    const digest = empreinte?.toString('hex');
    const content = [numero, id, date, cleId, action, objetId, requeteId, detail, digest, cleSecrets];
    this.hash.update(`${JSON.stringify(content)}\n`);
  }

  digest(): Buffer {
    return this.hash.copy().digest();
  }
}

function linkWith(
  key: Buffer,
  space: string,
  before: Buffer,
  { numero, id, date, cleId, action, objetId, requeteId, detail }: JournalEntry,
  attested: Buffer | undefined,
): Buffer {
  const content = JSON.stringify([
    ...[space, numero, id, date, cleId, action, objetId, requeteId],
    // Entries without one have the digest that they had before there were any.
    ...(detail === null ? [] : [detail]),
    ...(attested ? [[attested.toString('hex')]] : []),
  ]);
  return createHmac('sha256', key).update(before).update(content).digest();
}

function sealWith(key: Buffer, space: string, { numero, empreinte }: ChainEnd): Buffer {
  return createHmac('sha256', key)
    .update(empreinte)
    .update(JSON.stringify([space, 'tete', numero]))
    .digest();
}
