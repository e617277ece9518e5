import { Injectable } from '@nestjs/common';
import { Transactions } from '#shared/database/transactions';
import { countedQuestions, questionsOf } from '../domain/statistics';
import { tally } from '../domain/tally/tally';
import { SealingRepository } from '../persistence/sealing.repository';
import { StatisticsQuery } from '../persistence/statistics.query';
import { eachDue } from './each-due';

const PUT_OFF_MS = 5 * 60_000;

/**
 * Seals ballot boxes once they are closed (docs/adr/0014): roll, ballots and receipts are written anew by one transaction
 * and in an order of chance, so that nothing of how and when they were written joins them, and the count is kept.
 */
@Injectable()
export class SealingService {
  /** When a box that could not be sealed is tried again: it must not keep others waiting. */
  private readonly putOff = new Map<string, number>();

  constructor(
    private readonly transactions: Transactions,
    private readonly repository: SealingRepository,
    private readonly statistics: StatisticsQuery,
  ) {}

  /**
   * Seals the boxes of all tenants that are closed. Several workers may do it at once; one that fails is tried again after
   * some minutes, otherwise as in `eachDue`.
   */
  async sealAllDue(isStopping: () => boolean = () => false): Promise<void> {
    for (const [id, until] of this.putOff) if (until <= Date.now()) this.putOff.delete(id);
    await eachDue(await this.repository.due([...this.putOff.keys()]), isStopping, (tenantId, id) =>
      this.seal(tenantId, id).catch((error: unknown) => {
        this.putOff.set(id, Date.now() + PUT_OFF_MS);
        throw error;
      }),
    );
  }

  /** All of it or nothing. @returns whether this call sealed it */
  async seal(tenantId: string, id: string): Promise<boolean> {
    return this.transactions.run({ tenantId }, async () => {
      if (!(await this.repository.begin(tenantId, id))) return false;
      const campagne = (await this.statistics.campagne(tenantId, id))!;
      const answers = await this.statistics.answers(tenantId, id);
      const results = tally(countedQuestions(campagne), answers, campagne.graine);
      await this.repository.seal(id, questionsOf(campagne, results));
      return true;
    });
  }
}
