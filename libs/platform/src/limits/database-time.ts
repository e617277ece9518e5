import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { atMost } from './at-most';
import { BUDGETS, overBudget } from './budgets';

const MINUTE_MS = 60_000;

interface Window {
  readonly endsAt: number;
  usedMs: number;
}

/** Time that each client has used of the database, in this process and minute. */
@Injectable()
export class DatabaseTime {
  private readonly windows = new LRUCache<string, Window>(atMost(50_000));

  /** Counts the time that work of a client takes on a connection that it has got. */
  async measure<T>(client: string, work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    try {
      return await work();
    } finally {
      const now = performance.now();
      const window = this.windows.get(client);
      if (window && now < window.endsAt) window.usedMs += now - begun;
      else this.windows.set(client, { endsAt: now + MINUTE_MS, usedMs: now - begun });
    }
  }

  /** @throws DomainError `Debit.Depasse` where the minute's time is used up */
  assertLeft(client: string): void {
    const window = this.windows.get(client);
    const leftMs = (window?.endsAt ?? 0) - performance.now();
    if (leftMs <= 0 || window!.usedMs < BUDGETS.databaseSeconds * 1_000) return;
    throw overBudget(`${BUDGETS.databaseSeconds} s of database time a minute`, Math.ceil(leftMs / 1_000));
  }
}
