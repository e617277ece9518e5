import { REQUETE } from '../errors/platform.errors';
import type { Request } from 'express';
import { BUDGETS } from './budgets';
import { DomainError } from '../errors/domain-error';
import { REQUEST_MS } from './server-limits';

const LOOK_MS = 1_000;

/** Takes bytes that have arrived. @returns what to wait for before more is read, if anything */
export type Take = (bytes: number) => Promise<void> | undefined;

/** Limits of a body while it arrives. */
interface ArrivalRules {
  /** Bytes that the request announces; 0 where it does not. */
  readonly announced: number;
  /** The most bytes that it may have. */
  readonly limit: number;
  readonly take?: Take | undefined;
}

/**
 * Watches a body arrive. Its size must stay within its limit, its speed above `BUDGETS.bytesPerSecond`, and its announced
 * length must arrive within the time of a request. Only time in which we read counts.
 *
 * @param onFault called with `Requete.TropVolumineuse` or `Requete.Interrompue`
 * @returns function that ends the watch
 */
export function watchArrival(
  request: Request,
  { announced, limit, take }: ArrivalRules,
  onFault: (fault: DomainError) => void,
): () => void {
  const { graceMs, bytesPerSecond } = BUDGETS;
  const bytesPerMs = Math.max(bytesPerSecond / 1_000, announced / (REQUEST_MS - graceMs));
  const begun = performance.now();
  let received = 0;
  let pausedMs = 0;
  let isPaused = false;
  const pauseUntil = async (room: Promise<void>): Promise<void> => {
    const since = performance.now();
    isPaused = true;
    request.pause();
    await room;
    isPaused = false;
    pausedMs += performance.now() - since;
    request.resume();
  };
  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    if (received > limit) return onFault(tooLarge());
    const room = take?.(chunk.length);
    if (room) void pauseUntil(room);
  };
  const look = setInterval(() => {
    const countedMs = performance.now() - begun - pausedMs - graceMs;
    if (!isPaused && received < countedMs * bytesPerMs) onFault(interrupted());
  }, LOOK_MS);
  request.on('data', onData);
  return () => {
    clearInterval(look);
    request.off('data', onData);
  };
}

export function interrupted(): DomainError {
  return new DomainError(REQUETE.Interrompue);
}

export function tooLarge(): DomainError {
  return new DomainError(REQUETE.TropVolumineuse);
}
