import type { Request, Response } from 'express';
import { once } from 'node:events';
import type { CallerRequest } from './caller';
import { BUDGETS } from '../ops/budgets';
import { KeyedLimit } from '../ops/keyed-limit';
import { Page, Position } from '../database/json-items';
import { invalidRequest } from '../errors/domain-error';
import { isGuid } from '../input/faults';
import { text } from '../input/field';
import { Input } from '../input/field.decorator';

export type { Page, Position };

/** Opt-in paging of every list (docs/contract.md, "Paging"). */
export class PagingQuery {
  @Input({
    kind: 'integer',
    min: 1,
    max: 1000,
    description:
      'The most items of a page; one of large items may have fewer, and only a missing `next` link ends the list. Without `limite` the whole list is answered, streamed.',
    example: 100,
  })
  limite?: number;

  @Input(text(200, { description: 'Where to go on: the value in the `next` link of the page before.' }))
  curseur?: string;
}

/** The most items fetched at a time for a list without `limite`; their length in bytes ends most runs before. */
const RUN_LENGTH = 5_000;

/** Parts of long lists of one tenant are read one at a time, because each part keeps a processor of the database busy. */
const parts = new KeyedLimit(BUDGETS.listParts);

/** A list that grows at its end. Each response links to the items after it, existing or future. */
export interface Feed {
  /** The last place that is read; undefined while there is none. */
  readonly until: Position | undefined;
}

/**
 * Answers a list as a JSON array: a page with its `Link` to the next one if `limite` is given, else everything,
 * streamed in constant memory. A failure halfway breaks the connection, so that a cut list never looks whole.
 *
 * @param runLength items fetched at a time for a list without `limite`
 * @param feed set for a list that is followed: there is always a `next` link
 * @param fetch reads at most `limit` items after `after`; called again until no `next` is left
 */
export async function sendList(
  request: CallerRequest,
  response: Response,
  publicUrl: string,
  paging: PagingQuery,
  fetch: (after: Position | undefined, limit: number) => Promise<Page>,
  { runLength = RUN_LENGTH, feed }: { runLength?: number; feed?: Feed } = {},
): Promise<void> {
  let after = paging.curseur ? parseCursor(paging.curseur) : undefined;
  const link = (next: Position | undefined): void => {
    if (next) response.append('Link', `<${nextLink(request, publicUrl, next)}>; rel="next"`);
    else if (feed) response.append('Link', `<${publicUrl}${request.originalUrl}>; rel="next"`);
  };
  if (paging.limite) {
    const page = await fetch(after, paging.limite);
    link(feed ? (page.last ?? after) : page.next);
    sendWhole(response, page.items);
    return;
  }
  if (feed) link(feed.until ?? after);
  const first = await fetch(after, runLength);
  if (!first.next) {
    sendWhole(response, first.items);
    return;
  }
  after = write(response, '[', first);
  while (after) {
    // The next part is fetched only after the client has read the one before.
    await drained(response);
    if (response.destroyed) return;
    const from: Position = after;
    const page = await parts.run(request.caller?.tenantId ?? '', () => fetch(from, runLength));
    if (response.destroyed) return;
    after = write(response, page.items && ',', page);
  }
  response.end(']');
}

/**
 * Writes a run as bytes, so that its text is free while a slow reader takes them.
 *
 * @returns where the next run starts
 */
function write(response: Response, before: string, { items, next }: Page): Position | undefined {
  response.cork();
  if (before) response.write(before);
  if (items) response.write(Buffer.from(items));
  response.uncork();
  return next;
}

/** Sends items of some hundred kilobytes without copying them once more, as adding the brackets to them would. */
function sendWhole(response: Response, items: string): void {
  const bytes = Buffer.from(items);
  response.setHeader('Content-Length', bytes.length + 2);
  response.cork();
  response.write('[');
  response.write(bytes);
  response.end(']');
}

/** A run of a list from its rows: `limit` of them, and one more if anything follows. */
export function pageOf<R extends { readonly dateCreation: Date; readonly id: string }>(
  rows: readonly R[],
  limit: number,
  toItem: (row: R) => object,
): Page {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map((row) => JSON.stringify(toItem(row))).join(','),
    ...(last && rows.length > limit ? { next: { date: last.dateCreation, id: last.id } } : {}),
  };
}

async function drained(response: Response): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return;
  const settled = new AbortController();
  const { signal } = settled;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    // The one that did not happen would listen on for the rest of the answer.
    settled.abort();
  }
}

function nextLink(request: Request, publicUrl: string, next: Position): string {
  const url = new URL(request.originalUrl, publicUrl);
  url.searchParams.set('curseur', cursorOf(next));
  return `${publicUrl}${url.pathname}${url.search}`;
}

function cursorOf(position: Position): string {
  return Buffer.from(`${position.date.getTime()}.${position.id}`).toString('base64url');
}

function parseCursor(cursor: string): Position {
  const [, time, id] = /^(-?\d{1,15})\.(.+)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const date = new Date(Number(time));
  const year = date.getUTCFullYear();
  if (!id || !isGuid(id) || !(year >= 1 && year <= 9999)) {
    const detail = 'is not a cursor of this list; take it from the `next` link of an answer, or leave it out';
    throw invalidRequest([{ pointer: '?curseur', code: 'cursor', detail }]);
  }
  return { date, id };
}
