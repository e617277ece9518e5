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

/** A request to an operation of the demonstration tenant. */
export interface Call {
  readonly key: string | undefined;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface More {
  readonly path?: string;
  /** Name of the key of all its calls, if their effect would disturb others. */
  readonly key?: string;
  /** A body in the place of the example's, if one depends on the present day. */
  readonly body?: () => object;
  /** Changes of the example's body. */
  readonly changes?: readonly object[];
  /** Changes of the call that the example makes. */
  readonly calls?: readonly Partial<Call>[];
}

/**
 * Facts that the suites of `test/contract` cannot read from a route's decorators or its OpenAPI operation. A route
 * that takes no identifier and answers as its example needs no entry.
 */
export interface RouteCalls {
  /** Requests with identifiers of another tenant. */
  readonly foreign?: Samples;
  /**
   * Requests that the document alone does not give. They cause errors of domain rules, and return null in properties that
   * have a value in the examples.
   */
  readonly more?: More;
  /** Returns data of the key, or the same data to all keys. */
  readonly readsNoTable?: true;
  /** The list has one page for the tenants of the isolation suite. */
  readonly hasOnePage?: true;
  /** Administrators read all tenants with it. */
  readonly showsAllTenants?: true;
  /** A POST that stores no response for its Idempotency-Key (docs/adr/0006). */
  readonly isUnrecorded?: true;
  /** Content type of an answer that is not JSON. */
  readonly file?: string;
  /** Offers CSV beside JSON. */
  readonly csv?: true;
}

/** The routes of a context by method and path in Express. */
export type Calls = Readonly<Record<string, RouteCalls>>;

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
