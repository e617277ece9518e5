import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import type { CallerRequest } from '../limits/caller';
import { type Around, cursorOf, type Listing, parseCursor } from './listing';
import { composed } from '../input/characters';
import { Config } from '../ops/config';
import { holding, listParts, unreadParts, untilClosed } from '../limits/list-parts';
import { ProblemFilter } from './problem.filter';
import { streamable } from './streamed';
import type { Page, Position } from '../database/json-items';

/** Maximum number of items fetched at a time without `limite`. Most runs end earlier, by their length in bytes. */
const RUN_LENGTH = 5_000;

/** Length from which texts are sent, in UTF-16 units. Each chunk costs the process about 40 µs, whatever its length. */
const CHUNK_LENGTH = 131_072;

const ARRAY: Around = ['[', ']'];

/** Declares that a handler returns a `Listing`. `@Answers({ paged: true })` includes it. */
export const ReturnsListing = (): MethodDecorator => UseInterceptors(ListInterceptor);

/**
 * Sends a `Listing` as a JSON array, or within the text that it gives: a page with its `Link` to the next one if `limite` is given, otherwise all items,
 * streamed in constant memory.
 */
@Injectable()
export class ListInterceptor implements NestInterceptor<Listing, string | StreamableFile> {
  constructor(
    private readonly config: Config,
    private readonly problems: ProblemFilter,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<Listing>): Observable<string | StreamableFile> {
    return next.handle().pipe(mergeMap((listing) => this.stream(listing, context)));
  }

  private async stream(
    { paging, fetch, runLength = RUN_LENGTH, feed, line, around = () => ARRAY }: Listing,
    context: ExecutionContext,
  ): Promise<string | StreamableFile> {
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
    // Only the first part may be refused: the others follow headers that are sent.
    const inLine = (isPatient: boolean): Promise<Page> =>
      (line ?? listParts).run(client, () => fetch(after, runLength), isPatient);
    const first = async (): Promise<Page> => {
      if (!paging.limite) return line ? inLine(false) : fetch(after, runLength);
      const { next, ...page } = await fetch(after, paging.limite);
      link(feed ? (page.last ?? after) : next);
      return page;
    };
    // A part is in memory from before it is read until the reader has taken it.
    const leave = await untilClosed(unreadParts, client, response);
    const { items, next } = await first();
    const [before, end] = around();
    if (!next) {
      response.type('application/json');
      return `${before}${items.join()}${end}`;
    }
    after = next;
    let isEmpty = items.length === 0;
    const opening = chunksOf(before, items);
    const more = async function* (): AsyncGenerator<Buffer, void> {
      const page = await inLine(true);
      yield* chunksOf(isEmpty || page.items.length === 0 ? '' : ',', page.items, page.next ? '' : end);
      isEmpty &&= page.items.length === 0;
      after = page.next;
    };
    const all = async function* (): AsyncGenerator<Buffer, void> {
      // Each is freed when it is sent.
      while (opening.length > 0) yield opening.shift()!;
      leave();
      // A list that has begun waits for its other readers, because it cannot be refused any more.
      while (after) yield* holding(unreadParts, client, more(), true);
    };
    return streamable(this.problems, context, all());
  }
}

/** Returns the items as bytes, because their texts can then be freed while a slow reader takes them. */
function chunksOf(before: string, items: readonly string[], end = ''): Buffer[] {
  const chunks: Buffer[] = [];
  let texts = [before];
  let length = 0;
  for (const [index, item] of items.entries()) {
    if (index > 0) texts.push(',');
    texts.push(item);
    length += item.length;
    if (length < CHUNK_LENGTH) continue;
    chunks.push(joined(texts));
    [texts, length] = [[], 0];
  }
  texts.push(end);
  chunks.push(joined(texts));
  return chunks;
}

/** Returns the texts as bytes. They are not concatenated first, which would copy them once more. */
function joined(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  return bytes;
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
