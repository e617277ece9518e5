import { Injectable } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Lifecycle } from '#shared/http/lifecycle';

/** How requests are held back; times in milliseconds. */
export interface TarpitLimits {
  /** Refusals of one caller in its minute that are answered at once. */
  readonly free: number;
  /** How much longer each one behind them is held than the one before, at most. */
  readonly stepMs: number;
  readonly longestMs: number;
  /** Bytes of a body that are held as long again as a request without one: they are read and thrown away. */
  readonly bytes: number;
  /** The longest with a body, and as long as with one of unknown length. */
  readonly longestBodyMs: number;
  /** Share of a wait that chance takes off, at most. */
  readonly spread: number;
  /** Requests of one caller that are held at once, and of all callers. */
  readonly perCaller: number;
  readonly inAll: number;
}

const LIMITS: TarpitLimits = {
  free: 100,
  stepMs: 10,
  longestMs: 1_000,
  bytes: 256 * 1_024,
  longestBodyMs: 5_000,
  spread: 0.5,
  perCaller: 128,
  inAll: 512,
};

/**
 * Holds back callers who go on and on beyond their limit, so that they cost others nothing: who waits for an answer before
 * it asks again asks once or twice a second. What is held takes a timer and a connection that is not read; nothing is held beyond
 * the limits, and such callers are answered at once and lose their connection.
 */
@Injectable()
export class TarpitService {
  limits = LIMITS;
  private readonly held = new Map<string, number>();
  private heldInAll = 0;

  constructor(private readonly lifecycle: Lifecycle) {}

  /** How many requests are held now. */
  get size(): number {
    return this.heldInAll;
  }

  /** Whether a caller with so many refusals is held back. */
  holds(refusals: number): boolean {
    return refusals > this.limits.free && !this.lifecycle.isStopping;
  }

  /**
   * Resolves when a request may go on, or when its caller has gone.
   *
   * @param caller whose requests count together
   * @param refusals how many there were in the caller's minute
   */
  async hold(
    caller: string,
    refusals: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (!this.holds(refusals) || response.destroyed) return;
    const { free, stepMs, longestMs, bytes, longestBodyMs, spread, perCaller, inAll } = this.limits;
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const weight = coding === undefined ? 1 + (Number(length) || 0) / bytes : Infinity;
    const longest = Math.min(longestBodyMs, Math.min(longestMs, (refusals - free) * stepMs) * weight);
    // Callers who are held equally long would come back all at once, and others would wait behind each such wave.
    const wanted = longest * (1 - Math.random() * spread);
    const held = this.held.get(caller) ?? 0;
    if (held >= perCaller || this.heldInAll >= inAll) {
      response.setHeader('Connection', 'close');
      return;
    }
    this.held.set(caller, held + 1);
    this.heldInAll++;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wanted);
      response.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.heldInAll--;
    const others = this.held.get(caller)! - 1;
    if (others === 0) this.held.delete(caller);
    else this.held.set(caller, others);
  }
}
