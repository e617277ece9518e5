import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Transactions } from '#shared/database/transactions';
import type { Json } from '#shared/http/etag';
import { countedQuestions, statisticsOf } from '../domain/statistics';
import { type QuestionResult, tally, tallyFirstChoices } from '../domain/tally/tally';
import { noCampagne } from '../persistence/campagne.repository';
import { type StatedCampagne, type StatisticsFilter, StatisticsQuery } from '../persistence/statistics.query';
import { LifecycleService } from './lifecycle.service';

const MOST_CACHED = 100;

/** Participation and results (specification, "Campaign statistics" and "Statistics rules"; decisions, section 9). */
@Injectable()
export class StatisticsService {
  /** Results of closed boxes, by tenant and campaign. */
  private readonly wholes = new LRUCache<string, Promise<QuestionResult[] | undefined>>({ max: MOST_CACHED });

  constructor(
    private readonly transactions: Transactions,
    private readonly query: StatisticsQuery,
    private readonly lifecycle: LifecycleService,
  ) {}

  /** @throws DomainError `Campagne.NotFound` */
  async of(tenantId: string, id: string, filter: StatisticsFilter): Promise<Json> {
    const campagne = await this.closed(tenantId, id);
    const [participation, results] = await Promise.all([
      this.query.participation(tenantId, id, filter, campagne.urneScellee),
      campagne.urneClose && campagne.resultatsVisibles ? this.results(tenantId, campagne, filter) : undefined,
    ]);
    const resultatsVisibles = campagne.resultatsVisibles && !(campagne.urneClose && results === undefined);
    return statisticsOf({ ...campagne, resultatsVisibles }, participation, results);
  }

  /** Undefined where something in the box does not agree, or the threshold does not let them be told. */
  private async results(
    tenantId: string,
    campagne: StatedCampagne,
    filter: StatisticsFilter,
  ): Promise<QuestionResult[] | undefined> {
    const isWhole = filter.syndicatIdExterne == null && filter.employeurIdentifiantExterne == null;
    if (isWhole) return this.whole(tenantId, campagne);
    // Of a box in which something does not agree no part is told either.
    if (!campagne.urneScellee && !(await this.whole(tenantId, campagne))) return undefined;
    return this.filtered(tenantId, campagne, filter);
  }

  /** The campaign, with its box closed if the vote has ended. @throws DomainError `Campagne.NotFound` */
  private async closed(tenantId: string, id: string): Promise<StatedCampagne> {
    let campagne = await this.query.campagne(tenantId, id);
    if (campagne?.estTerminee && !campagne.urneClose) {
      // The clock has ended the vote and no worker has closed its box: whoever asks first waits for the last votes.
      await this.transactions.run({ tenantId }, () => this.lifecycle.holdAlone(tenantId, id));
      campagne = await this.query.campagne(tenantId, id);
    }
    if (!campagne) throw noCampagne();
    return campagne;
  }

  /** The result of all ballots of a closed box, which stays as it is: it is counted once for all who ask at a time. */
  private whole(tenantId: string, campagne: StatedCampagne): Promise<QuestionResult[] | undefined> {
    const key = `${tenantId} ${campagne.id}`;
    const known = this.wholes.get(key);
    if (known) return known;
    const counting = this.count(tenantId, campagne);
    this.wholes.set(key, counting);
    const forget = (): unknown => this.wholes.delete(key);
    // What does not agree may be put right.
    counting.then((results) => results ?? forget(), forget);
    return counting;
  }

  private async count(tenantId: string, campagne: StatedCampagne): Promise<QuestionResult[] | undefined> {
    // The sealing has looked for them.
    if (!campagne.urneScellee && (await this.query.anomalies(tenantId, campagne.id)).length > 0)
      return undefined;
    const answers = await this.query.answers(tenantId, campagne.id);
    return tally(countedQuestions(campagne), answers, campagne.graine);
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
