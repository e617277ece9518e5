import { type Client, type Problem, ProblemError } from './client';

/** Ends the demonstration with one line that says why. */
export class Stop extends Error {}

export function must(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new Stop(`Unexpected: ${otherwise}.`);
}

/** What a request is refused with, which must be refused. */
export async function refusal(request: Promise<unknown>): Promise<Problem> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
  throw new Stop('The service accepted what it must refuse.');
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

/** The items of a list that have changed since then. */
export async function changedSince(client: Client, path: string, since: string): Promise<Dated[]> {
  const { body } = await client.get<Dated[]>(`${path}?modifieDepuis=${since}`);
  return body.filter(({ derniereMAJ }) => derniereMAJ >= since);
}
