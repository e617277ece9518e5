import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Caller } from '#access/caller';
import { RateWindowQuery } from '../persistence/rate-window.query';

/** Requests that are left in a key's minute. */
export interface RateState {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests left for this replica to give out, beside those other replicas hold. */
  readonly remaining: number;
  /** Whole seconds until the next minute, 1 at the least. */
  readonly resetSeconds: number;
}

interface Window {
  limit: number;
  available: number;
  unclaimed: number;
  endsAt: number;
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
        if (window.unclaimed === 0) return stateOf(window, false);
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
        const window = { limit, available: lease.granted, unclaimed: lease.unclaimed, endsAt };
        this.windows.set(cleId, window);
        return window;
      })
      .finally(() => this.leasing.delete(cleId));
    this.leasing.set(cleId, next);
    return next;
  }
}

function stateOf(window: Window, allowed: boolean): RateState {
  return {
    allowed,
    limit: window.limit,
    remaining: window.available + window.unclaimed,
    resetSeconds: Math.max(1, Math.ceil((window.endsAt - performance.now()) / 1000)),
  };
}
