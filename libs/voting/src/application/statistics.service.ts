import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Transactions } from '#shared/database/transactions';
import { DomainError } from '#shared/errors/domain-error';
import type { Json } from '#shared/http/etag';
import { countedQuestions, questionsOf, statisticsOf } from '../domain/statistics';
import { type QuestionResult, tally, tallyFirstChoices } from '../domain/tally/tally';
import { type StatedCampagne, type StatisticsFilter, StatisticsQuery } from '../persistence/statistics.query';
import { LifecycleService } from './lifecycle.service';

const MOST_CACHED = 100;

/** Participation and results (specification, "Campaign statistics" and "Statistics rules"; decisions, section 9). */
@Injectable()
export class StatisticsService {
  /** Results of boxes that are closed and not sealed yet, by tenant and campaign. */
  private readonly wholes = new LRUCache<string, Promise<QuestionResult[]>>({ max: MOST_CACHED });

  constructor(
    private readonly transactions: Transactions,
    private readonly query: StatisticsQuery,
    private readonly lifecycle: LifecycleService,
  ) {}

  /** @throws DomainError `Campagne.NotFound` */
  async of(tenantId: string, id: string, filter: StatisticsFilter): Promise<Json> {
    const isWhole = filter.syndicatIdExterne == null && filter.employeurIdentifiantExterne == null;
    if (isWhole) {
      const kept = await this.query.kept(tenantId, id);
      if (kept) return statisticsOf(kept, kept, kept.texte);
    }
    const campagne = await this.closed(tenantId, id);
    const counting = this.query.participation(tenantId, id, filter, campagne.urneScellee);
    if (!campagne.urneClose) return statisticsOf(campagne, await counting, questionsOf(campagne));
    const [participation, results] = await Promise.all([
      counting,
      isWhole ? this.whole(tenantId, campagne) : this.filtered(tenantId, campagne, filter),
    ]);
    const resultatsVisibles = campagne.resultatsVisibles && results !== undefined;
    return statisticsOf({ ...campagne, resultatsVisibles }, participation, questionsOf(campagne, results));
  }

  /** The campaign, with its box closed if the vote has ended. @throws DomainError `Campagne.NotFound` */
  private async closed(tenantId: string, id: string): Promise<StatedCampagne> {
    let campagne = await this.query.campagne(tenantId, id);
    if (campagne?.estTerminee && !campagne.urneClose) {
      // The clock has ended the vote and no worker has closed its box: whoever asks first waits for the last votes.
      await this.transactions.run({ tenantId }, () => this.lifecycle.holdAlone(tenantId, id));
      campagne = await this.query.campagne(tenantId, id);
    }
    if (!campagne) throw new DomainError('Campagne.NotFound', 'No campaign has this id.');
    return campagne;
  }

  /** The result of all ballots of a closed box, which stays as it is: it is counted once for all who ask at a time. */
  private whole(tenantId: string, campagne: StatedCampagne): Promise<QuestionResult[]> {
    const key = `${tenantId} ${campagne.id}`;
    const known = this.wholes.get(key);
    if (known) return known;
    const counting = this.query
      .answers(tenantId, campagne.id)
      .then((answers) => tally(countedQuestions(campagne), answers, campagne.graine));
    this.wholes.set(key, counting);
    counting.catch(() => this.wholes.delete(key));
    return counting;
  }

  private async filtered(
    tenantId: string,
    campagne: StatedCampagne,
    filter: StatisticsFilter,
  ): Promise<QuestionResult[] | undefined> {
    const choices = await this.query.firstChoices(tenantId, campagne.id, filter);
    return choices && tallyFirstChoices(countedQuestions(campagne), choices);
  }
}
