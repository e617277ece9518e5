import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Caller } from '#shared/access/caller';
import { RateWindowQuery } from '../persistence/rate-window.query';

const MINUTE_MS = 60_000;

/** What is left of a key's minute. */
export interface RateState {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests left for this replica to give out, beside those other replicas hold. */
  readonly remaining: number;
  /** Whole seconds until the next minute, 1 at the least. */
  readonly resetSeconds: number;
  /**
   * Requests that this replica has refused in this minute, with this one; those of the minute before, if they were more
   * and more than the limit.
   */
  readonly refused: number;
}

interface Window {
  limit: number;
  available: number;
  unclaimed: number;
  endsAt: number;
  refused: number;
  refusedBefore: number;
}

/**
 * Requests a minute and key, over all replicas: each replica takes small leases out of one row in the database and
 * counts them down by itself. The limit is never passed; a caller whose requests jump between replicas may be refused
 * up to a twentieth of the limit early for each other replica.
 */
@Injectable()
export class RateLimiterService {
  private readonly windows = new LRUCache<string, Window>({ max: 50_000 });
  private readonly leasing = new Map<string, Promise<Window>>();

  constructor(private readonly rateWindows: RateWindowQuery) {}

  /** Counts one request of the caller. */
  async consume(caller: Caller): Promise<RateState> {
    const limit = caller.limiteParMinute;
    for (;;) {
      const window = this.windows.get(caller.cleId);
      if (window && performance.now() < window.endsAt && window.limit === limit) {
        if (window.available > 0) {
          window.available--;
          return stateOf(window, true);
        }
        if (window.unclaimed === 0) {
          window.refused++;
          return stateOf(window, false);
        }
      }
      await this.lease(caller.cleId, limit);
    }
  }

  /** Removes counts of minutes that are over, a batch of them at most; answers how many. */
  purgeOver(): Promise<number> {
    return this.rateWindows.purgeOver();
  }

  /** Requests that wait for a lease share it. */
  private lease(cleId: string, limit: number): Promise<Window> {
    const running = this.leasing.get(cleId);
    if (running) return running;
    const next = this.rateWindows
      .lease(cleId, limit)
      .then((lease) => {
        const endsAt = performance.now() + lease.remainingMs;
        const refused = this.refusedIn(this.windows.get(cleId));
        const window = { limit, available: lease.granted, unclaimed: lease.unclaimed, endsAt, ...refused };
        this.windows.set(cleId, window);
        return window;
      })
      .finally(() => this.leasing.delete(cleId));
    this.leasing.set(cleId, next);
    return next;
  }

  /** The refusals that a new lease begins with, given the one before. */
  private refusedIn(last: Window | undefined): Pick<Window, 'refused' | 'refusedBefore'> {
    const since = last ? performance.now() - last.endsAt : Infinity;
    if (last && since < 0) return { refused: last.refused, refusedBefore: last.refusedBefore };
    // Who sent more than twice what was allowed goes on at once when the minute begins; a burst that went too far does not.
    const wentOn = last && since < MINUTE_MS && last.refused > last.limit;
    return { refused: 0, refusedBefore: wentOn ? last.refused : 0 };
  }
}

function stateOf(window: Window, allowed: boolean): RateState {
  return {
    allowed,
    limit: window.limit,
    refused: Math.max(window.refused, window.refusedBefore),
    remaining: window.available + window.unclaimed,
    resetSeconds: Math.max(1, Math.ceil((window.endsAt - performance.now()) / 1000)),
  };
}
