import { ProblemError } from '@mandat/client';

/** Ends the demonstration with its message in one line. */
export class Stop extends Error {}

export function must(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new Stop(`Unexpected: ${otherwise}.`);
}

/** Returns the problem of a request that the service must reject. @throws Stop if it is accepted */
export async function refusal(request: Promise<unknown>): Promise<ProblemError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Stop('The service accepted a request that it must reject.');
}

/** Returns a response with its duration. */
export async function timed<T extends object>(request: Promise<T>): Promise<T & { milliseconds: number }> {
  const began = performance.now();
  const answer = await request;
  return { ...answer, milliseconds: performance.now() - began };
}

/** Sends a value that may be invalid, because the types of the client allow only valid ones. */
export function asTyped<T>(sent: unknown): T {
  return sent as T;
}

/** The properties of an item that show whether it has changed. */
export interface Dated {
  readonly idExterne: string;
  readonly derniereMAJ: string;
}

/**
 * Returns the moment after the last change, for incremental reads. If others write at the same time, go back two
 * minutes and ignore repeated items.
 */
export function momentAfter(items: readonly Dated[]): string {
  const latest = items.reduce((time, { derniereMAJ }) => Math.max(time, Date.parse(derniereMAJ)), 0);
  return new Date(latest + 1).toISOString();
}

/** Returns the items of a response that have changed since then. */
export function since<T extends Dated>(moment: string, items: readonly T[]): T[] {
  return items.filter(({ derniereMAJ }) => derniereMAJ >= moment);
}
