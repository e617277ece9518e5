import { SERVICE } from '#platform/errors/platform.errors';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { ThreadLimitPassed } from '#platform/limits/threads';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { FairCache } from '#platform/limits/fair-cache';
import { holding, largeResults } from '#platform/limits/list-parts';
import { LOGGER } from '#platform/ops/logger';
import { MOST_STRUCTURE_BYTES } from '../../campagne/domain/campagne.transitions';
import { MOST_RESULT, resultSize } from '../../campagne/domain/result-size';
import {
  type Participation,
  STATISTICS_END,
  statisticsHead,
  statisticsRows,
  untoldQuestion,
} from '../domain/statistics';
import { noCampagne } from '../../campagne/persistence/campagne.repository';
import { readingsOf } from '../persistence/reading';
import {
  isWhole,
  type StatedCampagne,
  type StatisticsFilter,
  StatisticsQuery,
} from '../persistence/statistics.query';
import { type Counting, CountingService } from './counting.service';
import { LifecycleService } from '../../campagne/application/lifecycle.service';
import { fr } from '#platform/errors/text';

/** Bytes of results that a process keeps. */
const MOST_KEPT = 64 * 2 ** 20;

/** Seconds before a count that passed a limit is tried again. */
const PUT_OFF_S = 5 * 60;

/**
 * Size of a result from which on it counts among the budget of large ones: below, it has 1.5 MB and the labels of its options at most.
 * One of `MOST_RESULT` has tens of MB.
 */
const LARGE = 10_000;

/** The longest count of a question that is done on the main thread, which takes 5 ms (docs/adr/0027). */
const SHORT = { size: 500, bytes: 16_384 };

/**
 * Stands for the result of a campaign that was published before there was a bound. It is counted for each caller, batch by
 * batch, and not kept.
 */
const TOO_LARGE: readonly Uint8Array[] = [];

/** Results of questions, as JSON. */
type Items = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

interface Asked {
  readonly tenantId: string;
  readonly client: string;
  readonly campagne: StatedCampagne;
}

/** Participation and results (docs/contract.md, "Statistics"). */
@Injectable()
export class StatisticsService {
  /** Results of closed boxes, by tenant and campaign. One is counted once for all who ask at a time. */
  private readonly wholes = new FairCache<readonly Uint8Array[]>(MOST_KEPT, (items) =>
    items.reduce((sum, { byteLength }) => sum + byteLength, 1),
  );
  /** Closed boxes without anomalies. They cannot get one later. */
  private readonly sound = new LRUCache<string, true>({ max: 10_000 });
  /** Participation of whole sealed votes. It cannot change any more. */
  private readonly participations = new LRUCache<string, Participation>({ max: 10_000 });
  /** Boxes whose count passed a limit. */
  private readonly putOff = new LRUCache<string, true>({ max: 10_000, ttl: PUT_OFF_S * 1_000 });

  constructor(
    private readonly transactions: Transactions,
    private readonly query: StatisticsQuery,
    private readonly lifecycle: LifecycleService,
    private readonly counting: CountingService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The statistics as JSON, in parts: they are made as fast as they are taken.
   *
   * @param isKept whether the result of the whole vote is kept for others
   * @throws DomainError `Campagne.NotFound`, `Debit.Depasse` for too many large results, `Service.Indisponible` where the count passes
   * a limit
   */
  async *of(
    tenantId: string,
    id: string,
    filter: StatisticsFilter,
    { isKept = true }: { readonly isKept?: boolean } = {},
  ): AsyncGenerator<Uint8Array, void> {
    const campagne = await this.closed(tenantId, id, filter);
    const client = await this.transactions.clientOf({ tenantId });
    const parts = this.parts({ tenantId, client, campagne }, filter, isKept);
    const isLarge = isTold(campagne) && isWhole(filter) && resultSize(campagne.questions) > LARGE;
    yield* isKept && isLarge ? holding(largeResults, client, parts) : parts;
  }

  /** The statistics as rows, in batches. @throws as `of` */
  rows(tenantId: string, id: string, filter: StatisticsFilter): AsyncGenerator<readonly object[], void> {
    return statisticsRows(this.of(tenantId, id, filter));
  }

  private async *parts(
    asked: Asked,
    filter: StatisticsFilter,
    isKept: boolean,
  ): AsyncGenerator<Uint8Array, void> {
    const { campagne } = asked;
    const participation = await this.participation(asked, filter, isKept);
    const items = isTold(campagne) ? await this.results(asked, filter, isKept) : undefined;
    const resultatsVisibles = campagne.resultatsVisibles && !(campagne.urneClose && items === undefined);
    yield Buffer.from(statisticsHead({ ...campagne, resultatsVisibles }, participation));
    let isFirst = true;
    for await (const item of items ?? campagne.questions.map((one) => Buffer.from(untoldQuestion(one)))) {
      if (!isFirst) yield Buffer.from(',');
      isFirst = false;
      yield item;
    }
    yield Buffer.from(STATISTICS_END);
  }

  private async participation(
    asked: Asked,
    filter: StatisticsFilter,
    isKept: boolean,
  ): Promise<Participation> {
    const { tenantId, campagne } = asked;
    const isSealed = campagne.urneScellee && isWhole(filter);
    const kept = isKept && isSealed ? this.participations.get(keyOf(asked)) : undefined;
    if (kept) return kept;
    const read = await this.query.participation(tenantId, campagne.id, filter, campagne.urneScellee);
    // A standby behind the one that read the campaign would have no participation yet.
    if (isSealed && read.inscrits >= campagne.nombreVotants) this.participations.set(keyOf(asked), read);
    return read;
  }

  /** Returns undefined if the box has an anomaly, or if the threshold forbids the result. */
  private async results(asked: Asked, filter: StatisticsFilter, isKept: boolean): Promise<Items | undefined> {
    const { campagne } = asked;
    const key = keyOf(asked);
    if (this.putOff.has(key)) throw tooLong();
    if (isKept && isWhole(filter) && resultSize(campagne.questions) <= MOST_RESULT) {
      const whole = await this.wholes.fetch(asked.client, key, () => this.countWhole(asked));
      if (whole !== TOO_LARGE) return whole;
    }
    // A box with an anomaly yields no filtered result either.
    return campagne.estDivulguee && (await this.isSound(asked)) ? this.counted(asked, filter) : undefined;
  }

  /** The campaign, with its box closed if the vote has ended. @throws DomainError `Campagne.NotFound` */
  private async closed(tenantId: string, id: string, filter: StatisticsFilter): Promise<StatedCampagne> {
    let campagne = await this.query.campagne(tenantId, id, filter);
    if (campagne?.estTerminee && !campagne.urneClose) {
      // The vote has ended and no worker has closed its box yet: the first caller waits for the last votes.
      await this.transactions.run({ tenantId }, () => this.lifecycle.lockExclusively(tenantId, id));
      campagne = await this.query.campagne(tenantId, id, filter);
    }
    if (!campagne) throw noCampagne();
    return campagne;
  }

  private async countWhole(asked: Asked): Promise<readonly Uint8Array[] | undefined> {
    if (!(await this.isSound(asked))) return undefined;
    if ((await this.query.octets(asked.tenantId, asked.campagne.id)) > MOST_STRUCTURE_BYTES) return TOO_LARGE;
    const items: Uint8Array[] = [];
    for await (const item of this.counted(asked, {})) items.push(item);
    return items;
  }

  /** Returns whether ballots, receipts and voters agree. */
  private async isSound(asked: Asked): Promise<boolean> {
    const { tenantId, campagne } = asked;
    const key = keyOf(asked);
    // The sealing has checked the box.
    if (campagne.urneScellee || this.sound.has(key)) return true;
    const isSound = (await this.query.anomalies(tenantId, campagne.id)).length === 0;
    // An anomaly is not cached, because it may be repaired.
    if (isSound) this.sound.set(key, true);
    return isSound;
  }

  private async *counted(asked: Asked, filter: StatisticsFilter): AsyncGenerator<Uint8Array> {
    const { tenantId, client, campagne } = asked;
    const { nombreVotants } = campagne;
    const isOfAll = isWhole(filter);
    // Only the result of all ballots elects, so only it breaks ties.
    const graine = isOfAll ? await this.query.graine(tenantId, campagne.id) : '';
    for (const reading of readingsOf(campagne.questions, nombreVotants, isOfAll)) {
      const { first, last, parts, bytes } = reading;
      const questions = campagne.questions.slice(first, last + 1);
      const batch = { first, questions, isWhole: isOfAll, graine };
      const read: Counting['read'] = (part) =>
        this.query.counted(tenantId, campagne.id, reading, part, filter);
      const sizes = questions.map((one) => (isOfAll ? resultSize([one]) : one.nombreOptions));
      const isShort = bytes <= SHORT.bytes && Math.max(...sizes) <= SHORT.size;
      yield* await this.counting
        .items(client, { batch, isShort, parts, read })
        .catch((error: unknown) => this.putOffIfLong(asked, error));
    }
  }

  private putOffIfLong(asked: Asked, error: unknown): never {
    if (!(error instanceof ThreadLimitPassed)) throw error;
    this.putOff.set(keyOf(asked), true);
    const { tenantId, campagne } = asked;
    this.logger.error(
      { tenantId, campagneId: campagne.id, limit: error.limit },
      'the count of a result passed a limit and was ended',
    );
    throw tooLong();
  }
}

function isTold({ urneClose, resultatsVisibles }: StatedCampagne): boolean {
  return urneClose && resultatsVisibles;
}

/** A box that was closed again after a failover, which lost its closure, has another key. */
function keyOf({ tenantId, campagne }: Asked): string {
  return `${tenantId} ${campagne.id} ${campagne.fermeePar}`;
}

function tooLong(): DomainError {
  const detail = {
    en: 'Counting this result passed a limit of time or memory. The ballots are kept. The count is tried again in 5 minutes at the earliest: ask the operator if it fails again.',
    fr: fr(
      "Le dépouillement de ce résultat a dépassé une limite de temps ou de mémoire. Les bulletins sont conservés. Le dépouillement est retenté au plus tôt dans 5 minutes : adressez-vous à l'exploitant s'il échoue de nouveau.",
    ),
  };
  return new DomainError(SERVICE.Indisponible, detail, { retryAfterSeconds: PUT_OFF_S });
}
