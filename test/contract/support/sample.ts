import type { Identifiers } from './spaces';

/** Request to a route. */
export interface Sample {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns requests with identifiers of another tenant in each place where a route takes one, and one request with the
 * caller's own identifiers, which must reach no other tenant.
 *
 * @param asked identifiers that the request uses
 * @param own identifiers of the caller
 */
export type Samples = (asked: Identifiers, own: Identifiers) => Sample[];
