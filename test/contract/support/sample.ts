import type { Identifiers } from './spaces';

/** One request to a route. */
export interface Sample {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Requests that name what another data space has, in each place where a route takes an identifier; and one on what the
 * caller has itself, which must reach nothing else.
 *
 * @param asked names what the request is about
 * @param own names what the caller has itself
 */
export type Samples = (asked: Identifiers, own: Identifiers) => Sample[];
