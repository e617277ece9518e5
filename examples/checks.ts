import { ProblemError } from '@mandat/client';

/** Ends the demonstration with one line that says why. */
export class Stop extends Error {}

export function must(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new Stop(`Unexpected: ${otherwise}.`);
}

/** What a request is refused with, which must be refused. */
export async function refusal(request: Promise<unknown>): Promise<ProblemError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Stop('The service accepted what it must refuse.');
}

/** An answer, and how long it took. */
export async function timed<T extends object>(request: Promise<T>): Promise<T & { milliseconds: number }> {
  const began = performance.now();
  const answer = await request;
  return { ...answer, milliseconds: performance.now() - began };
}

/**
 * What a partner sends that need not be what the service takes: the types of the client know only what is right.
 */
export function asTyped<T>(sent: unknown): T {
  return sent as T;
}

/** As much of an item as tells whether it has changed. */
export interface Dated {
  readonly idExterne: string;
  readonly derniereMAJ: string;
}

/**
 * The moment after the last change, for incremental reads. Where others write at the same time, one goes back two
 * minutes and takes some items twice.
 */
export function momentAfter(items: readonly Dated[]): string {
  const latest = items.reduce((time, { derniereMAJ }) => Math.max(time, Date.parse(derniereMAJ)), 0);
  return new Date(latest + 1).toISOString();
}

/** The items of an answer that have changed since then. */
export function since<T extends Dated>(moment: string, items: readonly T[]): T[] {
  return items.filter(({ derniereMAJ }) => derniereMAJ >= moment);
}
