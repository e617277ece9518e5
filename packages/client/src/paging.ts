import { setTimeout as delay } from 'node:timers/promises';

/** Page parameters of a list. */
export interface Paging {
  readonly limite: number;
  readonly curseur?: string;
}

/** A call of an operation that has `limite` and `curseur`. */
export type ListCall<T> = (
  paging: Paging,
) => Promise<{ readonly data: readonly T[]; readonly response: Response }>;

export interface PagingOptions {
  /** The most items of a page, 1 to 1,000; 100 if absent. */
  readonly limite?: number;
  /** Start of the page; the start of the list if absent. */
  readonly curseur?: string;
}

export interface FollowOptions {
  readonly pauseSeconds?: number;
  /** Ends the wait with an `AbortError`. */
  readonly signal?: AbortSignal;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  /** Start of the next page; undefined at the end, except in a feed, which later continues here. */
  readonly curseur: string | undefined;
}

/** Returns the pages of a list up to its current end. Empty pages are left out. */
export async function* eachPage<T>(
  list: ListCall<T>,
  { limite = 100, curseur }: PagingOptions = {},
): AsyncGenerator<ListPage<T>, void> {
  let asked = curseur;
  for (;;) {
    const { data, response } = await list(asked === undefined ? { limite } : { limite, curseur: asked });
    const next = nextCursor(response.headers.get('link'));
    if (data.length > 0) yield { items: data, curseur: next };
    // The last page of a feed links to itself.
    if (next === undefined || next === asked) return;
    asked = next;
  }
}

/**
 * Returns the pages of a feed, for ever: of `evenements.list` or `changements.list`. It waits where the feed ends.
 *
 * @param pauseSeconds time between two requests at the end of the feed
 */
export async function* follow<T>(
  list: ListCall<T>,
  { limite = 100, curseur, pauseSeconds = 2, signal }: PagingOptions & FollowOptions = {},
): AsyncGenerator<ListPage<T>, never> {
  let place = curseur;
  for (;;) {
    for await (const page of eachPage(list, { limite, ...(place === undefined ? {} : { curseur: place }) })) {
      yield page;
      place = page.curseur ?? place;
    }
    await delay(pauseSeconds * 1_000, undefined, signal && { signal });
  }
}

/** Returns the items of a list one by one. It requests a page after the last item of the one before. */
export async function* eachItem<T>(list: ListCall<T>, options: PagingOptions = {}): AsyncGenerator<T, void> {
  for await (const { items } of eachPage(list, options)) yield* items;
}

/**
 * Returns the cursor in `Link: <…>; rel="next"` (RFC 8288). The rest of the address is ignored, because the key must be
 * sent only to the configured address.
 */
function nextCursor(link: string | null): string | undefined {
  for (const [, target, parameters] of (link ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    if (!/;\s*rel="?next"?/.test(parameters!)) continue;
    return new URL(target!, 'http://localhost').searchParams.get('curseur') ?? undefined;
  }
  return undefined;
}
