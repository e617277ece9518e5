import { Injectable } from '@nestjs/common';
import { ATTEST, BREAK } from './audited-action';
import { Chain, type ChainedEntry, type ChainEnd, GENESIS, Transcript } from './chain';
import { Faults, Unproven } from './faults';
import { JournalRepository } from './journal.repository';

/** Entries read at a time, which bounds the memory. One entry may have 1,000 ids. */
const BATCH = 1_000;

/** Result of verifying one trail. */
export interface Verified {
  readonly space: string;
  /** Where the chain ends: kept elsewhere, it proves later that nothing before was taken back. */
  readonly numero: number;
  readonly empreinte: string;
  /** Descriptions of the faults; empty if the trail is intact. */
  readonly faults: readonly string[];
}

/** A position of a chain that was stored outside the database. */
export interface Anchor {
  readonly numero: number;
  readonly empreinte: string;
}

/** Reads audit trails from their beginning and reports each change, removal, insertion and reordering. */
@Injectable()
export class JournalVerification {
  constructor(
    private readonly repository: JournalRepository,
    private readonly chain: Chain,
  ) {}

  /** @param anchor where the chain once ended: without it, an earlier copy of the whole trail passes for the trail */
  async verify(space: string, anchor?: Anchor): Promise<Verified> {
    const head = await this.repository.head(space);
    const reading = this.read(space, anchor);
    await reading.advance(head?.numero ?? Number.MAX_SAFE_INTEGER);
    const faults = new Faults();
    const end = reading.last;
    if (!head) faults.add('the end of the chain is missing');
    else if (!this.chain.isSealed(space, head))
      faults.add(
        this.chain.lacks(head.cleSecrets)
          ? `the end of the chain needs the key ${head.cleSecrets}, which SECRETS_KEY lacks`
          : 'the end of the chain does not bear its seal',
      );
    faults.addAll(reading.faults());
    if (head && (head.numero !== end.numero || !head.empreinte.equals(end.empreinte)))
      faults.add(`the chain ends at entry ${end.numero}, not at ${head.numero} as its end says`);
    if (head && head.count !== head.numero)
      faults.add(`there are ${head.count} entries, not ${head.numero} as the end of the chain says`);
    if (anchor && anchor.numero > end.numero)
      faults.add(`the chain once reached entry ${anchor.numero} and now ends at ${end.numero}`);
    return { space, numero: end.numero, empreinte: end.empreinte.toString('hex'), faults: faults.told() };
  }

  /** Whether a key of SECRETS_KEY has sealed the end of a trail; undefined without an end. */
  async isSealed(space: string): Promise<boolean | undefined> {
    const head = await this.repository.head(space);
    return head && head.numero > 0 ? this.chain.isSealed(space, head) : undefined;
  }

  /** A reading of a trail from its beginning, which has not begun. */
  read(space: string, anchor?: Anchor): Reading {
    return new Reading(this.repository, this.chain, space, anchor);
  }
}

/** Reads the entries of one trail in their order, and checks each. */
export class Reading {
  readonly transcript = new Transcript();
  last: ChainEnd = GENESIS;
  private readonly found = new Faults();
  private readonly unproven = new Unproven();

  constructor(
    private readonly repository: JournalRepository,
    private readonly chain: Chain,
    private readonly space: string,
    private readonly anchor?: Anchor,
  ) {}

  /** Reads on, up to an entry. */
  async advance(until: number): Promise<void> {
    for (;;) {
      const entries = await this.repository.chained(this.space, this.last.numero, until, BATCH);
      for (const entry of entries) this.check(entry);
      if (entries.length < BATCH) return;
    }
  }

  /** Returns the faults up to here. The reading ends with it. */
  faults(): Faults {
    this.unproven.moveTo(this.found);
    return this.found;
  }

  private check(entry: ChainedEntry): void {
    const { last, anchor, found } = this;
    const { numero, empreinte, cleSecrets } = entry;
    if (numero !== last.numero + 1)
      found.add(`entries ${last.numero + 1} to ${numero - 1} are missing before entry ${numero}`);
    const attests = entry.action === ATTEST;
    const attested = attests ? this.transcript.digest() : undefined;
    if (this.chain.isLink(this.space, last.empreinte, entry, attested)) {
      if (attests) this.unproven.clear();
    } else if (this.chain.lacks(cleSecrets)) this.unproven.addLacking(numero, cleSecrets!);
    else if (attests) this.unproven.addAltered(`entry ${numero} does not attest the entries before it`);
    else this.unproven.addAltered(`entry ${numero} or its place is not what was written`);
    if (entry.action === BREAK) found.add(`the chain was found broken when entry ${numero} was written`);
    if (anchor?.numero === numero && anchor.empreinte !== empreinte?.toString('hex'))
      found.add(`entry ${numero} is not the one that was there before`);
    this.transcript.add(entry);
    this.last = { numero, empreinte: empreinte ?? Buffer.alloc(0) };
  }
}
