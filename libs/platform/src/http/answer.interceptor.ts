import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type StreamableFile,
} from '@nestjs/common';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { mergeMap, type Observable } from 'rxjs';
import { interrupted } from '../limits/body-arrival';
import type { CallerRequest } from '../limits/caller';
import { longAnswers, untilClosed } from '../limits/list-parts';
import { Compression } from './compression';
import { acceptedCsv, type Csv } from './csv';
import { ListSender } from './list-sender';
import { Listing } from './listing';
import { ProblemFilter } from './problem.filter';
import { streamable, whole } from './streamable';
import { Streamed } from './streamed';

/** Maximum number of bytes buffered before the headers are sent. A failure up to then is answered as a problem. */
const MAX_BUFFERED = 2 ** 20;

/**
 * Sends the result of a handler, compressed: a `Listing` as a list, and a `Streamed` part by part. A `Streamed` is among the `longAnswers`
 * of its client until the reader has taken it.
 */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  constructor(
    private readonly lists: ListSender,
    private readonly compression: Compression,
    private readonly problems: ProblemFilter,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(
        mergeMap(async (result: unknown) =>
          this.compression.compressed(await this.answer(result, context), context),
        ),
      );
  }

  /** A list or a long answer as it is sent; other results as they are. */
  private answer(result: unknown, context: ExecutionContext): unknown {
    if (result instanceof Listing) return this.lists.send(result, context);
    if (!(result instanceof Streamed)) return result;
    const csv = result.records && acceptedCsv(context);
    return this.stream(csv ? csv.parts(result.records()) : result.parts(), context, csv);
  }

  /** @throws DomainError `Debit.Depasse` */
  private async stream(
    parts: AsyncGenerator<Uint8Array, void>,
    context: ExecutionContext,
    csv: Csv | undefined,
  ): Promise<StreamableFile> {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    await untilClosed(longAnswers, http.getRequest<CallerRequest>().caller?.clientId ?? '', response);
    const made: Uint8Array[] = [];
    for (let bytes = 0; bytes <= MAX_BUFFERED; bytes += made.at(-1)!.length) {
      const next = await parts.next();
      if (response.destroyed) {
        await parts.return();
        throw interrupted();
      }
      if (next.done) {
        csv?.announce(response);
        return whole(made);
      }
      made.push(next.value);
    }
    csv?.announce(response);
    const all = async function* (): AsyncGenerator<Uint8Array, void> {
      // Each is freed when it is sent.
      while (made.length > 0) yield made.shift()!;
      yield* parts;
    };
    // Nothing is read ahead of the caller.
    const stream = Readable.from(all(), { objectMode: false, highWaterMark: 1 });
    return streamable(this.problems, context, stream);
  }
}
