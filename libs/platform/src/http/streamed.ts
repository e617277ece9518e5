import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import type { Response } from 'express';
import { setImmediate } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { mergeMap, type Observable, of } from 'rxjs';
import { interrupted } from '../limits/body-arrival';
import type { CallerRequest } from '../limits/caller';
import { jsonParts } from './json-parts';
import { ProblemFilter } from './problem.filter';
import { longAnswers, untilClosed } from '../limits/list-parts';

/** Maximum number of bytes buffered before the headers are sent. A failure up to then is answered as a problem. */
const MAX_BUFFERED = 2 ** 20;

const JSON_IN_UTF8 = 'application/json; charset=utf-8';

/** An answer that can be long. It is made and sent part by part, as fast as the caller takes it. */
export class Streamed {
  /**
   * @param parts makes the parts; called twice for an answer that is also recorded
   * @param version changes with any byte of the answer, for its ETag
   * @param heldBytes bytes of the answer that are in memory until it is sent
   */
  constructor(
    readonly parts: () => AsyncGenerator<Uint8Array, void>,
    readonly version?: string,
    readonly heldBytes = 0,
  ) {}

  /** Returns a value as JSON. Its bytes are made at once, because they are fewer than those of the value. */
  static async json(value: unknown): Promise<Streamed> {
    const made: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of jsonParts(value)) {
      // Other requests are served between two parts.
      if (made.push(part) > 1) await setImmediate();
      bytes += part.length;
    }
    const parts = async function* (): AsyncGenerator<Uint8Array, void> {
      yield* made;
    };
    return new Streamed(parts, undefined, bytes);
  }
}

/**
 * Returns what Nest sends part by part, as fast as the caller takes it. A failure halfway breaks the connection, because a cut
 * answer must not look complete.
 */
export function streamable(
  problems: ProblemFilter,
  context: ExecutionContext,
  parts: AsyncGenerator<Uint8Array, void>,
): StreamableFile {
  // Nothing is read ahead of the caller.
  const stream = Readable.from(parts, { objectMode: false, highWaterMark: 1 });
  return new StreamableFile(stream, { type: JSON_IN_UTF8 })
    .setErrorHandler((error) => problems.catch(error, context))
    .setErrorLogger(() => undefined);
}

/** Returns what Nest sends at once. */
export function whole(parts: readonly Uint8Array[]): StreamableFile {
  const bytes = Buffer.concat(parts);
  return new StreamableFile(bytes, { length: bytes.length, type: JSON_IN_UTF8 });
}

/** Sends each `Streamed`, which is among the `longAnswers` of its client until the reader has taken it. */
@Injectable()
export class StreamedInterceptor implements NestInterceptor {
  constructor(private readonly problems: ProblemFilter) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(
        mergeMap((result) =>
          result instanceof Streamed ? this.stream(result.parts(), context) : of(result),
        ),
      );
  }

  /** @throws DomainError `Debit.Depasse` */
  private async stream(
    parts: AsyncGenerator<Uint8Array, void>,
    context: ExecutionContext,
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
      if (next.done) return whole(made);
      made.push(next.value);
    }
    const all = async function* (): AsyncGenerator<Uint8Array, void> {
      // Each is freed when it is sent.
      while (made.length > 0) yield made.shift()!;
      yield* parts;
    };
    return streamable(this.problems, context, all());
  }
}
