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
import { Config } from '../ops/config';
import { listParts } from '../ops/list-parts';
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
    { paging, fetch, runLength = RUN_LENGTH, feed, isCostly, around = () => ARRAY }: Listing,
    request: CallerRequest,
    response: Response,
  ): Promise<void> {
    const { publicUrl } = this.config;
    let after = paging.curseur ? parseCursor(paging.curseur) : undefined;
    const link = (next: Position | undefined): void => {
      if (next) response.append('Link', `<${nextLink(request, publicUrl, next)}>; rel="next"`);
      else if (feed) response.append('Link', `<${publicUrl}${request.originalUrl}>; rel="next"`);
    };
    if (paging.limite) {
      const page = await fetch(after, paging.limite);
      link(feed ? (page.last ?? after) : page.next);
      sendWhole(response, page.items, around());
      return;
    }
    if (feed) link(feed.until ?? after);
    const inLine = (from: Position | undefined): Promise<Page> =>
      listParts.run(request.caller?.tenantId ?? '', () => fetch(from, runLength));
    const first = await (isCostly ? inLine(after) : fetch(after, runLength));
    if (!first.next) {
      sendWhole(response, first.items, around());
      return;
    }
    const [before, end] = around();
    after = write(response, before, first);
    while (after) {
      // The next part is fetched only after the client has read the one before.
      await drained(response);
      if (response.destroyed) return;
      const page = await inLine(after);
      if (response.destroyed) return;
      after = write(response, page.items && ',', page);
    }
    response.end(end);
  }
}

/**
 * Writes a run as bytes, because its text can then be freed while a slow reader takes them.
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

/** Sends a whole list. The text around it is written separately, because adding them would copy the items once more. */
function sendWhole(response: Response, items: string, [before, after]: Around): void {
  const bytes = Buffer.from(items);
  response.setHeader('Content-Length', Buffer.byteLength(before) + bytes.length + Buffer.byteLength(after));
  response.cork();
  response.write(before);
  response.write(bytes);
  response.end(after);
}

async function drained(response: Response): Promise<void> {
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

function nextLink(request: Request, publicUrl: string, next: Position): string {
  const url = new URL(request.originalUrl, publicUrl);
  url.searchParams.set('curseur', cursorOf(next));
  return `${publicUrl}${url.pathname}${url.search}`;
}
