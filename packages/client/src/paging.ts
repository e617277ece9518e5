/** What a list is asked for, beside its own filters. */
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
  /** Where to go on; the beginning if absent. */
  readonly curseur?: string;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  /** Where the list goes on, now or later; undefined at the end of a list that does not grow there. */
  readonly curseur: string | undefined;
}

/** The pages of a list, as far as it goes now; none of them is empty. */
export async function* eachPage<T>(
  list: ListCall<T>,
  { limite = 100, curseur }: PagingOptions = {},
): AsyncGenerator<ListPage<T>, void> {
  let asked = curseur;
  for (;;) {
    const { data, response } = await list(asked === undefined ? { limite } : { limite, curseur: asked });
    const next = nextCursor(response.headers.get('link'));
    if (data.length > 0) yield { items: data, curseur: next };
    // A feed links to itself where nothing new has come.
    if (next === undefined || next === asked) return;
    asked = next;
  }
}

/** The items of a list one by one, each page asked for when the one before is used up. */
export async function* eachItem<T>(list: ListCall<T>, options: PagingOptions = {}): AsyncGenerator<T, void> {
  for await (const { items } of eachPage(list, options)) yield* items;
}

/**
 * The cursor in `Link: <…>; rel="next"` (RFC 8288). Only that is taken of the address: the next request goes where the
 * key belongs, whatever the header names.
 */
function nextCursor(link: string | null): string | undefined {
  for (const [, target, parameters] of (link ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    if (!/;\s*rel="?next"?/.test(parameters!)) continue;
    return new URL(target!, 'http://localhost').searchParams.get('curseur') ?? undefined;
  }
  return undefined;
}
