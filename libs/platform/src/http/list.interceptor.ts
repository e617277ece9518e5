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
import type { CallerRequest } from './caller';
import { type Around, cursorOf, type Listing, parseCursor } from './listing';
import { composed } from '../input/characters';
import { Config } from '../ops/config';
import { holding, listParts, unreadParts } from '../ops/list-parts';
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
export class ListInterceptor implements NestInterceptor<Listing, StreamableFile> {
  constructor(
    private readonly config: Config,
    private readonly problems: ProblemFilter,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<Listing>): Observable<StreamableFile> {
    return next.handle().pipe(mergeMap((listing) => this.stream(listing, context)));
  }

  private async stream(
    { paging, fetch, runLength = RUN_LENGTH, feed, line, around = () => ARRAY }: Listing,
    context: ExecutionContext,
  ): Promise<StreamableFile> {
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
    let [before, end]: Around = ARRAY;
    let isEmpty = true;
    let bytes = 0;
    const bytesOf = ({ items, next }: Page): Buffer[] => {
      const texts = items.map((text, index) => (isEmpty && index === 0 ? text : `,${text}`));
      isEmpty &&= items.length === 0;
      texts[0] = before + (texts[0] ?? '');
      if (!next) texts.push(texts.pop()! + end);
      [before, after] = ['', next];
      const made: Buffer[] = [];
      let chunk = '';
      for (const text of texts) {
        chunk += text;
        if (chunk.length < CHUNK_LENGTH) continue;
        // Bytes, because the texts can then be freed while a slow reader takes them.
        made.push(Buffer.from(chunk));
        chunk = '';
      }
      if (chunk) made.push(Buffer.from(chunk));
      bytes += made.reduce((sum, { length }) => sum + length, 0);
      return made;
    };
    // A part is in memory from before it is read until the reader has taken it.
    const part = async function* (read: () => Promise<Page>): AsyncGenerator<Buffer, void> {
      yield* bytesOf(await read());
    };
    const opening = holding(
      unreadParts,
      client,
      part(async () => {
        const page = await first();
        [before, end] = around();
        return page;
      }),
    );
    const begun = await opening.next();
    const all = async function* (): AsyncGenerator<Buffer, void> {
      yield begun.value!;
      yield* opening;
      // A list that has begun waits for its other readers, because it cannot be refused any more.
      while (after)
        yield* holding(
          unreadParts,
          client,
          part(() => inLine(true)),
          true,
        );
    };
    return streamable(this.problems, context, all(), after ? undefined : bytes);
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
