import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Actor } from './actor';
import { NO_TENANT } from '../database/scope';
import { Transactions } from '../database/transactions';
import { type AuditDetail, textOfDetail } from './audit-detail';
import { type AuditedAction, BREAK } from './audited-action';
import { Chain, type ChainEnd, GENESIS, type JournalEntry } from './chain';
import { DomainError } from '../errors/domain-error';
import { SERVICE } from '../errors/platform.errors';
import { LOGGER } from '../ops/logger';
import { type Head, JournalRepository } from './journal.repository';

/** An entry without its place in the chain. */
type Noted = Omit<JournalEntry, 'numero' | 'id' | 'date'>;

/**
 * The audit trail (docs/contract.md, "Audit trail"). Entries are added in the transaction of the action and never change.
 * They have opaque ids only, without content or names.
 *
 * Each space has its own chain: a data space (the tenant's id), and a client as a whole (the client's id).
 */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: JournalRepository,
    private readonly chain: Chain,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Writes entries at the end of the ambient transaction, because writers of a chain wait for each other.
   *
   * @param space the data space, or the client
   * @param objets the service's ids of the objects, one entry each. For a bulk write, the id of the data space
   * @param change which objects a bulk write changed
   */
  record(
    space: string,
    { cleId, requestId }: Actor,
    action: AuditedAction,
    objets: readonly string[],
    change: AuditDetail = {},
  ): void {
    if (objets.length === 0) return;
    const detail = textOfDetail(change);
    const noted = objets.map((objetId) => ({ cleId, requeteId: requestId, action, objetId, detail }));
    this.transactions.beforeCommit({ tenantId: space }, () => this.append(space, noted));
  }

  /** Begins the chain of a new space. A chain without its beginning has therefore been damaged. */
  begin(space: string): void {
    const { cleSecrets } = this.chain;
    const sceau = this.chain.seal(space, GENESIS);
    this.transactions.beforeCommit({ tenantId: space }, () =>
      this.repository.insertHead(space, { ...GENESIS, sceau, cleSecrets }),
    );
  }

  private async append(space: string, noted: readonly Noted[]): Promise<void> {
    const head = await this.repository.lockHead(space, noted.length + 1);
    const sealed = this.chain.isSealed(space, head);
    if (!sealed && this.chain.lacks(head.cleSecrets)) {
      // A mistake of the configuration must not mark the trail as broken for good.
      this.logger.error(
        { space, cle: head.cleSecrets },
        'SECRETS_KEY lacks the key of this id, which an audit trail needs',
      );
      throw new DomainError(SERVICE.Indisponible, undefined, { retryAfterSeconds: 5 });
    }
    if (sealed && (await this.write(space, head, head, noted))) return;
    // The trail was altered. The service continues, and the next entry records the break permanently.
    this.logger.error(
      { space },
      'the end of an audit trail was altered, or written with another SECRETS_KEY: see docs/operations.md',
    );
    const last = (await this.repository.last(space)) ?? GENESIS;
    const end = { numero: Math.max(last.numero, head.numero), empreinte: last.empreinte };
    const broken: Noted = { cleId: NO_TENANT, requeteId: '', action: BREAK, objetId: space, detail: null };
    if (!(await this.write(space, head, end, [broken, ...noted], last.numero)))
      throw new Error('The audit trail cannot be written.');
  }

  /** @returns false, without writing, if the number of the last stored entry is not `known` */
  private write(
    space: string,
    { date, ids }: Head,
    end: ChainEnd,
    noted: readonly Noted[],
    known = end.numero,
  ): Promise<boolean> {
    let { numero, empreinte } = end;
    const { cleSecrets } = this.chain;
    const entries = noted.map((one, index) => {
      numero += 1;
      const entry = { ...one, numero, id: ids[index]!, date };
      empreinte = this.chain.link(space, empreinte, entry);
      return { ...entry, empreinte, cleSecrets };
    });
    const head = { numero, empreinte };
    const sceau = this.chain.seal(space, head);
    return this.repository.append(space, known, entries, { ...head, sceau, cleSecrets });
  }
}
