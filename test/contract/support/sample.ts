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

/** Returns a request for each text as the last part of the path. */
export function each(path: string, ...texts: string[]): Sample[] {
  return texts.map((text) => ({ path: `${path}${text}` }));
}

/** Returns requests to a list: its first page, filtered pages, and pages after a cursor. */
export function pages(path: string, curseur: string, ...filters: string[]): Sample[] {
  return each(path, '', ...filters, `?curseur=${curseur}`, `?limite=1&curseur=${curseur}`);
}

/** Returns a request for each body. */
export function bodies(path: string, ...all: unknown[]): Sample[] {
  return all.map((body) => ({ path, body }));
}

export function ifMatch(path: string, etag: string, body?: object): Sample {
  return { path, headers: { 'If-Match': etag }, ...(body ? { body } : {}) };
}

export function ifNoneMatch(path: string, etag: string): Sample {
  return { path, headers: { 'If-None-Match': etag } };
}
