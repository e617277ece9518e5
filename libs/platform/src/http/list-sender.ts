import { type ExecutionContext, Injectable, type StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import type { CallerRequest } from '../limits/caller';
import { type Around, cursorOf, type Listing, parseCursor } from './listing';
import { composed } from '../input/characters';
import { etagOf } from '../input/if-match';
import { Config } from '../ops/config';
import { VERSION } from '../ops/version';
import { acceptedCsv } from './csv';
import { enter, listParts, unreadParts, untilClosed } from '../limits/list-parts';
import { holds } from './etag';
import { ProblemFilter } from './problem.filter';
import { streamable } from './streamable';
import type { Page, Position } from '../database/json-items';

/**
 * Maximum number of items fetched at a time without `limite`. Other clients are served between two parts, and the parts of several lists
 * fit into V8's young generation.
 */
const RUN_LENGTH = 1_500;

/** Length from which a piece of a list is sent, in UTF-16 units. Each costs the process about 60 µs, whatever its length. */
const PIECE_LENGTH = 131_072;

const ARRAY: Around = ['[', ']'];

/**
 * Sends a `Listing` as a JSON array, within the text that it gives, or as CSV: a page with its `Link` to the next one if `limite` is
 * given, otherwise all items, streamed in constant memory. A list with a state gets a weak `ETag` of it, and 304 to a request that
 * names it. A whole list has the state of its first part, so a change while it is sent makes the next read send it again.
 */
@Injectable()
export class ListSender {
  constructor(
    private readonly config: Config,
    private readonly problems: ProblemFilter,
  ) {}

  async send(
    { paging, fetch, options: { runLength = RUN_LENGTH, feed, line, around = () => ARRAY } }: Listing,
    context: ExecutionContext,
  ): Promise<string | Buffer | StreamableFile> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<CallerRequest>(), http.getResponse<Response>()];
    const { publicUrl } = this.config;
    const client = request.caller?.clientId ?? '';
    const owner = ownerOf(request);
    // Clients keep the cursor of a feed for months.
    let after = paging.curseur ? parseCursor(paging.curseur, owner, feed !== undefined) : undefined;
    const link = (next: Position | undefined): void => {
      if (next)
        response.append('Link', `<${nextLink(request, publicUrl, cursorOf(next, owner))}>; rel="next"`);
      else if (feed) response.append('Link', `<${publicUrl}${request.originalUrl}>; rel="next"`);
    };
    if (feed && !paging.limite) link(feed.until ?? after);
    const csv = acceptedCsv(context);
    const tagOf = (state: string): string =>
      etagOf(JSON.stringify([VERSION, owner, paging.limite, paging.curseur, csv?.delimiter, state]));
    if (fetch.state && request.get('If-None-Match')) {
      const tag = tagOf(await fetch.state());
      if (holds(request, tag)) {
        response.status(304).setHeader('ETag', `W/${tag}`);
        return '';
      }
    }
    const read = csv
      ? async (limit: number): Promise<Page> => csv.page(await fetch(after, limit))
      : (limit: number): Promise<Page> => fetch(after, limit);
    // Only the first part may be refused: the others follow headers that are sent.
    const inLine = (isPatient: boolean): Promise<Page> =>
      (line ?? listParts).run(client, () => read(runLength), isPatient);
    const first = async (): Promise<Page> => {
      if (!paging.limite) return line || listParts.isBusy(client) ? inLine(false) : read(runLength);
      const { next, ...page } = await read(paging.limite);
      link(feed ? (page.last ?? after) : next);
      return page;
    };
    // A part is in memory from before it is read until the reader has taken it.
    const leave = await untilClosed(unreadParts, client, response);
    const { items, next, state } = await first();
    if (state) response.setHeader('ETag', `W/${tagOf(state)}`);
    const [before, end] = csv ? [csv.head, ''] : around();
    const between = csv ? [] : [','];
    if (csv) csv.announce(response);
    else response.type('application/json');
    if (!next) return bytesOf([before, ...joined(items, between), end]);
    after = next;
    let isEmpty = items.length === 0;
    const opening = [before, ...joined(items, between)];
    const more = async (): Promise<string[]> => {
      const page = await inLine(true);
      const comma = isEmpty || page.items.length === 0 ? [] : between;
      isEmpty &&= page.items.length === 0;
      after = page.next;
      return [...comma, ...joined(page.items, between), ...(page.next ? [] : [end])];
    };
    const all = async function* (): AsyncGenerator<Buffer, void> {
      yield* piecesOf(opening);
      leave();
      while (after) {
        // A list that has begun waits for its other readers, because it cannot be refused any more.
        const leavePart = await enter(unreadParts, client, true);
        try {
          yield* piecesOf(await more());
        } finally {
          leavePart();
        }
      }
    };
    return streamable(this.problems, context, Readable.from(all(), { objectMode: false, highWaterMark: 1 }));
  }
}

/** Returns the items with the separators between them. */
function joined(items: readonly string[], between: readonly string[]): string[] {
  return items.flatMap((item, index) => (index > 0 ? [...between, item] : [item]));
}

/** Returns the bytes of texts. Joining the texts first would cost three times as much. */
function bytesOf(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let end = 0;
  for (const text of texts) end += bytes.write(text, end);
  return bytes;
}

/** Yields the bytes of texts in pieces that are long enough to be sent. Each text is freed when it is sent. */
function* piecesOf(texts: string[]): Generator<Buffer, void> {
  while (texts.length > 0) {
    let [count, length] = [0, 0];
    while (count < texts.length && length < PIECE_LENGTH) length += texts[count++]!.length;
    yield bytesOf(texts.splice(0, count));
  }
}

/** Parameters that say how a list is sent, and not which items it has. */
const NO_FILTERS = new Set(['limite', 'curseur', 'separateur']);

/** Returns what a cursor belongs to: the list, its data space and its filters. */
export function ownerOf({ caller, path, query }: Pick<CallerRequest, 'caller' | 'path' | 'query'>): string {
  const filters = Object.entries(query)
    .filter(([name]) => !NO_FILTERS.has(name))
    .map(([name, value]) => [name, composed(value as string).trim()].join('='));
  const list = composed(decodeURIComponent(path)).replace(/\/$/, '');
  return JSON.stringify([caller?.tenantId, list, ...filters.sort()]);
}

function nextLink(request: Request, publicUrl: string, cursor: string): string {
  const url = new URL(request.originalUrl, publicUrl);
  url.searchParams.set('curseur', cursor);
  return `${publicUrl}${url.pathname}${url.search}`;
}
