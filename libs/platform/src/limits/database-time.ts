import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RequestTimes } from './request-times';
import { atMost } from './at-most';
import { BUDGETS, overBudget } from './budgets';
import { fr } from '../errors/text';

const MINUTE_MS = 60_000;

interface Window {
  readonly endsAt: number;
  usedMs: number;
}

/** Time that each client has used of the database, in this process and minute. */
@Injectable()
export class DatabaseTime {
  private readonly windows = new LRUCache<string, Window>(atMost(50_000));

  /**
   * Counts the time that work takes on a connection that it has got, for the request and for the budget of a client.
   *
   * @param client undefined for work that no budget counts
   */
  async measure<T>(client: string | undefined, work: () => Promise<T>): Promise<T> {
    const request = RequestTimes.current;
    const begun = performance.now();
    request?.databaseBegins(begun);
    try {
      return await work();
    } finally {
      const now = performance.now();
      request?.databaseEnds(now);
      if (client !== undefined) this.count(client, now - begun, now);
    }
  }

  private count(client: string, ms: number, now: number): void {
    const window = this.windows.get(client);
    if (window && now < window.endsAt) window.usedMs += ms;
    else this.windows.set(client, { endsAt: now + MINUTE_MS, usedMs: ms });
  }

  /** @throws DomainError `Debit.Depasse` where the minute's time is used up */
  assertLeft(client: string): void {
    const window = this.windows.get(client);
    const leftMs = (window?.endsAt ?? 0) - performance.now();
    if (leftMs <= 0 || window!.usedMs < BUDGETS.databaseSeconds * 1_000) return;
    throw overBudget(
      {
        en: `${BUDGETS.databaseSeconds} s of database time a minute`,
        fr: fr`${BUDGETS.databaseSeconds} s de temps de base de données par minute`,
      },
      Math.ceil(leftMs / 1_000),
    );
  }
}
