import { Inject, Injectable } from '@nestjs/common';
import { SECRETS_KEY } from '../ops/secret-box';
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

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

/** Where a chain ends. */
export interface ChainEnd {
  readonly numero: number;
  readonly empreinte: Buffer;
}

/** The end of a chain as it is stored. */
export interface SealedEnd extends ChainEnd {
  readonly sceau: Buffer;
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
  private readonly key: Buffer;

  /** @param secretsKey what the chain's own key is derived from */
  constructor(@Inject(SECRETS_KEY) secretsKey: Buffer) {
    this.key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'mandat journal', 32));
  }

  /** The digest of an entry behind the one of digest `before`. */
  link(space: string, before: Buffer, entry: JournalEntry): Buffer {
    const { numero, id, date, cleId, action, objetId, requeteId, detail } = entry;
    const content = JSON.stringify([
      ...[space, numero, id, date, cleId, action, objetId, requeteId],
      // Entries without one have the digest that they had before there were any.
      ...(detail === null ? [] : [detail]),
    ]);
    return createHmac('sha256', this.key).update(before).update(content).digest();
  }

  /** Digest that proves the end of the chain. */
  seal(space: string, { numero, empreinte }: ChainEnd): Buffer {
    return createHmac('sha256', this.key)
      .update(empreinte)
      .update(JSON.stringify([space, 'tete', numero]))
      .digest();
  }

  isSealed(space: string, { sceau, ...end }: SealedEnd): boolean {
    const expected = this.seal(space, end);
    return sceau.length === expected.length && timingSafeEqual(sceau, expected);
  }
}
