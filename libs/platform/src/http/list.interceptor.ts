import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { once } from 'node:events';
import { mergeMap, type Observable } from 'rxjs';
import type { CallerRequest } from './caller';
import { type Around, cursorOf, type Listing, parseCursor } from './listing';
import { composed } from '../input/characters';
import { Config } from '../ops/config';
import { listParts, unreadParts } from '../ops/list-parts';
import { SentByInterceptor } from './streamed';
import type { Page, Position } from '../database/json-items';

/** Maximum number of items fetched at a time without `limite`. Most runs end earlier, by their length in bytes. */
const RUN_LENGTH = 5_000;

const ARRAY: Around = ['[', ']'];

/** Declares that a handler returns a `Listing`. `@Answers({ paged: true })` includes it. */
export const ReturnsListing = (): MethodDecorator =>
  applyDecorators(SentByInterceptor, UseInterceptors(ListInterceptor));

/**
 * Sends a `Listing` as a JSON array, or within the text that it gives: a page with its `Link` to the next one if `limite` is given, otherwise all items,
 * streamed in constant memory. A failure halfway breaks the connection, because a cut list must not look complete.
 */
@Injectable()
export class ListInterceptor implements NestInterceptor<Listing, void> {
  constructor(private readonly config: Config) {}

  intercept(context: ExecutionContext, next: CallHandler<Listing>): Observable<void> {
    const http = context.switchToHttp();
    const request = http.getRequest<CallerRequest>();
    return next
      .handle()
      .pipe(mergeMap((listing) => this.send(listing, request, http.getResponse<Response>())));
  }

  private async send(
    { paging, fetch, runLength = RUN_LENGTH, feed, line, around = () => ARRAY }: Listing,
    request: CallerRequest,
    response: Response,
  ): Promise<void> {
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
    // Only the first part may be refused: the others follow headers that are sent.
    const inLine = (from: Position | undefined, isPatient: boolean): Promise<Page> =>
      (line ?? listParts).run(client, () => fetch(from, runLength), isPatient);
    const first = async (): Promise<Page> => {
      if (!paging.limite) return line ? inLine(after, false) : fetch(after, runLength);
      const { next, ...page } = await fetch(after, paging.limite);
      link(feed ? (page.last ?? after) : next);
      return page;
    };
    let [before, end]: Around = ARRAY;
    let isEmpty = true;
    // A part is in memory from here until the reader has taken it.
    after = await unreadParts.run(client, async () => {
      if (response.destroyed) return undefined;
      const page = await first();
      [before, end] = around();
      isEmpty = page.items.length === 0;
      if (page.next) write(response, before, page.items);
      else sendWhole(response, page.items, [before, end]);
      await drained(response);
      return page.next;
    });
    while (after && !response.destroyed) {
      const from = after;
      const more = async (): Promise<Position | undefined> => {
        const page = await inLine(from, true);
        if (response.destroyed) return undefined;
        write(response, isEmpty || page.items.length === 0 ? '' : ',', page.items);
        isEmpty &&= page.items.length === 0;
        if (!page.next) response.end(end);
        await drained(response);
        return page.next;
      };
      // A list that has begun waits for its other readers, because it cannot be refused any more.
      after = await unreadParts.run(client, more, true);
    }
  }
}

/** Writes a run as bytes, because its texts can then be freed while a slow reader takes them. */
function write(response: Response, before: string, items: readonly string[]): void {
  response.cork();
  if (before) response.write(before);
  for (const part of bytesOf(items)) response.write(part);
  response.uncork();
}

/** Sends a whole list. The text around it is written separately, because adding them would copy the items once more. */
function sendWhole(response: Response, items: readonly string[], [before, after]: Around): void {
  const parts = [Buffer.from(before), ...bytesOf(items), Buffer.from(after)];
  response.setHeader(
    'Content-Length',
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}

const bytesOf = (items: readonly string[]): Buffer[] =>
  items.map((text, index) => Buffer.from(index > 0 ? `,${text}` : text));

/** Resolves when the reader has taken all, or all but a little of a list that goes on, or has gone. */
async function drained(response: Response): Promise<void> {
  if (response.writableEnded && !response.closed) await once(response, 'close');
  if (!response.writableNeedDrain || response.destroyed) return;
  const settled = new AbortController();
  const { signal } = settled;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    // Removes the listener of the event that did not happen.
    settled.abort();
  }
}

/** Returns what a cursor belongs to: the list, its data space and its filters. */
export function ownerOf({ caller, path, query }: Pick<CallerRequest, 'caller' | 'path' | 'query'>): string {
  const filters = Object.entries(query)
    .filter(([name]) => name !== 'limite' && name !== 'curseur')
    .map(([name, value]) => [name, composed(value as string).trim()].join('='));
  const list = composed(decodeURIComponent(path)).replace(/\/$/, '');
  return JSON.stringify([caller?.tenantId, list, ...filters.sort()]);
}

function nextLink(request: Request, publicUrl: string, cursor: string): string {
  const url = new URL(request.originalUrl, publicUrl);
  url.searchParams.set('curseur', cursor);
  return `${publicUrl}${url.pathname}${url.search}`;
}
