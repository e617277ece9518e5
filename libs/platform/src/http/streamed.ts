import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import type { Response } from 'express';
import { setImmediate } from 'node:timers/promises';
import { mergeMap, type Observable } from 'rxjs';
import { jsonParts } from './json-parts';
import { sendLong, sendParts } from './send-parts';

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

/** Adds a last parameter `@Res()`, which the handler ignores: Nest does not reply for a handler that takes the response. */
export const SentByInterceptor: MethodDecorator = (target, name, descriptor) =>
  Res()(target, name, (descriptor.value as unknown as (...all: unknown[]) => unknown).length);

/**
 * Sends the result of a handler that is `SentByInterceptor`: a `Streamed`, JSON text, or nothing.
 *
 * @param send sends the parts of a `Streamed`
 */
export async function sendResult(response: Response, result: unknown, send = sendParts): Promise<void> {
  if (result instanceof Streamed) return send(response, result.parts());
  if (result === undefined) response.end();
  else response.send(typeof result === 'string' ? result : JSON.stringify(result));
}

class StreamInterceptor implements NestInterceptor<unknown, void> {
  intercept(context: ExecutionContext, next: CallHandler): Observable<void> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(mergeMap((result) => sendResult(response, result, sendLong)));
  }
}

/** Declares that a handler may return a `Streamed`. `@Answers({ streamed: true })` includes it; `@BulkBody()` sends its own. */
export const ReturnsStreamed = (): MethodDecorator =>
  applyDecorators(SentByInterceptor, UseInterceptors(StreamInterceptor));
