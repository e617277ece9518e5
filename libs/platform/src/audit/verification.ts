import { Injectable } from '@nestjs/common';
import { BREAK } from './audited-action';
import { Chain, type ChainEnd, GENESIS } from './chain';
import { JournalRepository } from './journal.repository';

/** Entries read at a time, which bounds the memory. One entry may have 1,000 ids. */
const BATCH = 1_000;

/** Maximum faults reported for one trail; further ones are counted. */
const MOST_FAULTS = 20;

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
    const faults = new Faults();
    const head = await this.repository.head(space);
    if (!head) faults.add('the end of the chain is missing');
    else if (!this.chain.isSealed(space, head)) faults.add('the end of the chain does not bear its seal');
    const end = await this.follow(space, head?.numero ?? Number.MAX_SAFE_INTEGER, faults, anchor);
    if (head && (head.numero !== end.numero || !head.empreinte.equals(end.empreinte)))
      faults.add(`the chain ends at entry ${end.numero}, not at ${head.numero} as its end says`);
    if (head && head.count !== head.numero)
      faults.add(`there are ${head.count} entries, not ${head.numero} as the end of the chain says`);
    if (anchor && anchor.numero > end.numero)
      faults.add(`the chain once reached entry ${anchor.numero} and now ends at ${end.numero}`);
    return { space, numero: end.numero, empreinte: end.empreinte.toString('hex'), faults: faults.told() };
  }

  private async follow(
    space: string,
    until: number,
    faults: Faults,
    anchor: Anchor | undefined,
  ): Promise<ChainEnd> {
    let last: ChainEnd = GENESIS;
    for (;;) {
      const entries = await this.repository.chained(space, last.numero, until, BATCH);
      for (const entry of entries) {
        const { numero, empreinte } = entry;
        if (numero !== last.numero + 1)
          faults.add(`entries ${last.numero + 1} to ${numero - 1} are missing before entry ${numero}`);
        if (!empreinte?.equals(this.chain.link(space, last.empreinte, entry)))
          faults.add(`entry ${numero} or its place is not what was written`);
        if (entry.action === BREAK) faults.add(`the chain was found broken when entry ${numero} was written`);
        if (anchor?.numero === numero && anchor.empreinte !== empreinte?.toString('hex'))
          faults.add(`entry ${numero} is not the one that was there before`);
        last = { numero, empreinte: empreinte ?? Buffer.alloc(0) };
      }
      if (entries.length < BATCH) return last;
    }
  }
}

class Faults {
  private readonly found: string[] = [];
  private count = 0;

  add(fault: string): void {
    this.count += 1;
    if (this.found.length < MOST_FAULTS) this.found.push(fault);
  }

  told(): string[] {
    const more = this.count - this.found.length;
    return more > 0 ? [...this.found, `and ${more} more`] : this.found;
  }
}
