import { CallHandler, ExecutionContext, Injectable, NestInterceptor, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import express from 'express';
import type { Request, Response } from 'express';
import { from, mergeMap, Observable } from 'rxjs';
import { DomainError, invalidRequest } from '../errors/domain-error';
import { ERROR_CODES } from '../errors/error-codes';

const BODY_LIMIT = 'http:body-limit';
const DEFAULT_LIMIT = '1mb';

/** Accepts bodies up to `limit` (such as `64mb`) on a route, instead of 1 MB. */
export const BodyLimit = (limit: string): MethodDecorator => SetMetadata(BODY_LIMIT, limit);

/** A request with its body as it was sent: idempotency compares the very bytes. */
export type RawRequest = Request & { rawBody?: Buffer };

/**
 * Reads the body after the guards, so that a caller without access is refused before sending it whole, and so that
 * each route has its own limit.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  private readonly readers = new Map<string, ReturnType<typeof express.raw>>();

  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<RawRequest>();
    if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'DELETE')
      return next.handle();
    const limit = this.reflector.get<string | undefined>(BODY_LIMIT, context.getHandler()) ?? DEFAULT_LIMIT;
    const reading = this.read(request, context.switchToHttp().getResponse<Response>(), limit);
    return from(reading).pipe(mergeMap(() => next.handle()));
  }

  private async read(request: RawRequest, response: Response, limit: string): Promise<void> {
    const type = request.headers['content-type'];
    const empty =
      request.headers['transfer-encoding'] === undefined && !Number(request.headers['content-length'] ?? 0);
    if (empty) {
      request.rawBody = Buffer.alloc(0);
      return;
    }
    if (
      !type ||
      !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type) ||
      !/^[^;]*(?:;\s*charset="?utf-?8"?\s*)?;?$/i.test(type)
    ) {
      throw new DomainError('Requete.TypeNonSupporte', ERROR_CODES['Requete.TypeNonSupporte'].description);
    }
    let reader = this.readers.get(limit);
    if (!reader) this.readers.set(limit, (reader = express.raw({ limit, type: () => true })));
    await new Promise<void>((resolve, reject) =>
      reader(request, response, (error?: unknown) =>
        error ? reject(readingError(error as Error)) : resolve(),
      ),
    );
    request.rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    request.body = parseJson(request.rawBody);
  }
}

function readingError(error: Error): Error {
  const { type } = error as { type?: string };
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return new DomainError('Requete.Interrompue', ERROR_CODES['Requete.Interrompue'].description);
  }
  return error;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(body: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw invalidRequest([{ pointer: '', code: 'encoding', detail: 'the body must be valid UTF-8' }]);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // V8's message quotes the text around the fault, which may be a person's data: only the place is kept.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    const place = position ? ` (fault near character ${position})` : '';
    throw invalidRequest([{ pointer: '', code: 'json', detail: `the body must be valid JSON${place}` }]);
  }
}
