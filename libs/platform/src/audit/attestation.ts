import { Injectable } from '@nestjs/common';
import { NO_TENANT } from '../database/scope';
import { Transactions } from '../database/transactions';
import { ATTEST } from './audited-action';
import { Chain } from './chain';
import { JournalRepository } from './journal.repository';
import { JournalVerification } from './verification';

/** Result of an attestation for a trail. `faulty`: nothing was attested, because the trail is not what was written. */
export type Attested = 'current' | 'attested' | 'faulty';

/**
 * Proves the entries of earlier keys of SECRETS_KEY with the newest one (docs/adr/0037). A verification then does not need
 * the earlier keys any more.
 */
@Injectable()
export class TrailAttestation {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: JournalRepository,
    private readonly verification: JournalVerification,
    private readonly chain: Chain,
  ) {}

  /** Whether the newest key alone proves the trail. A newest key without an id proves nothing. */
  async isCurrent(space: string): Promise<boolean> {
    const { cleSecrets } = this.chain;
    return cleSecrets !== null && this.repository.isProvenBy(space, cleSecrets);
  }

  /** Verifies the trail and ends it with an attestation by the newest key, unless that key alone proves it. */
  async attest(space: string): Promise<Attested> {
    if (await this.isCurrent(space)) return 'current';
    // Most of the trail is read before its end is locked, because writers wait for the lock.
    const { numero, faults } = await this.verification.verify(space);
    if (faults.length > 0) return 'faulty';
    const reading = this.verification.read(space);
    await reading.advance(numero);
    return this.transactions.run({ tenantId: space }, async () => {
      const head = await this.repository.lockHead(space, 1);
      if (await this.isCurrent(space)) return 'current';
      await reading.advance(head.numero);
      const { last, transcript } = reading;
      const isWhole = last.numero === head.numero && last.empreinte.equals(head.empreinte);
      if (!isWhole || !this.chain.isSealed(space, head) || reading.faults().told().length > 0)
        return 'faulty';
      const entry = {
        ...{ numero: head.numero + 1, id: head.ids[0]!, date: head.date },
        ...{ cleId: NO_TENANT, action: ATTEST, objetId: space, requeteId: '', detail: null },
      };
      const { cleSecrets } = this.chain;
      const empreinte = this.chain.link(space, head.empreinte, entry, transcript.digest());
      const end = { numero: entry.numero, empreinte };
      const sceau = this.chain.seal(space, end);
      const chained = { ...entry, empreinte, cleSecrets };
      const isWritten = await this.repository.append(space, head.numero, [chained], {
        ...end,
        sceau,
        cleSecrets,
      });
      return isWritten ? 'attested' : 'faulty';
    });
  }
}
