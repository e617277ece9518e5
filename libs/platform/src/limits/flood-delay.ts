import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import { atMost } from './at-most';
import { Lifecycle } from '../ops/lifecycle';

/** How many requests are delayed now. */
interface Delayed {
  delayed: number;
}

/**
 * Delays the responses to a caller that is refused again and again, because refusals at full speed would slow other
 * callers (docs/adr/0005). Requests beyond the maximum number of delayed ones get their response and lose their connection.
 */
@Injectable()
export class FloodDelay {
  /**
   * `free`: refusals a minute without delay. `perCaller`: maximum number of delayed requests. `inAll`: the same of all
   * callers, for refused requests and separately for those that ask for a delay. Times in ms.
   */
  limits = { free: 100, stepMs: 50, longestMs: 5_000, perCaller: 128, inAll: 1_024 };
  private readonly callers = new LRUCache<string, { refusals: number; delayed: number }>({
    ...atMost(50_000),
    ttl: 60_000,
  });
  private readonly refused = { delayed: 0 };
  /** Counted apart from `refused`, so that neither kind takes the places of the other. */
  private readonly asking = { delayed: 0 };

  constructor(private readonly lifecycle: Lifecycle) {}

  /** Counts a refusal of the caller. Resolves after its delay, or when the connection closes. */
  async afterRefusal(caller: string, response: Response): Promise<void> {
    const { free, stepMs, longestMs } = this.limits;
    const own = this.callers.get(caller) ?? { refusals: 0, delayed: 0 };
    if (own.refusals++ === 0) this.callers.set(caller, own);
    if (own.refusals <= free) return;
    // Random, because requests with equal delays would come back together.
    const delayMs = Math.min(longestMs, (own.refusals - free) * stepMs) * (1 - Math.random() / 2);
    if (!(await this.hold(own, this.refused, response, delayMs))) response.setHeader('Connection', 'close');
  }

  /** Delays a request that asks for it. Resolves after the delay, at once if too many are delayed, or when the connection closes. */
  async asked(caller: string, response: Response, delayMs: number): Promise<void> {
    const own = this.callers.get(caller) ?? { refusals: 0, delayed: 0 };
    this.callers.set(caller, own);
    await this.hold(own, this.asking, response, delayMs);
  }

  /** @returns false if too many requests are delayed */
  private async hold(own: Delayed, all: Delayed, response: Response, delayMs: number): Promise<boolean> {
    const { perCaller, inAll } = this.limits;
    if (this.lifecycle.isStopping || response.destroyed) return true;
    if (own.delayed >= perCaller || all.delayed >= inAll) return false;
    own.delayed++;
    all.delayed++;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      response.once('close', () => (clearTimeout(timer), resolve()));
    });
    own.delayed--;
    all.delayed--;
    return true;
  }
}
