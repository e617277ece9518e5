import { REQUETE } from '../errors/platform.errors';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import express, { type Response } from 'express';
import { LRUCache } from 'lru-cache';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { from, lastValueFrom, mergeMap, type Observable } from 'rxjs';
import type { CallerRequest } from '../limits/caller';
import { BUDGETS } from '../limits/budgets';
import { KeyedLimit } from '../limits/keyed-limit';
import { DomainError, invalidRequest } from '../errors/domain-error';
import { isPlainObject } from '../input/fold';
import { interrupted, type Take, tooLarge, watchArrival } from '../limits/body-arrival';
import { BulkSlots } from '../limits/bulk-slots';
import { BODY_BYTES, SYNC_BODY_BYTES } from '../limits/request-sizes';
import { parseBody } from '../input/parse-body';
import { RawBody, TAKES_BODY, TAKES_TYPES } from '../input/request-parts.decorator';
import { Streamed } from './streamed';
import { fr } from '../errors/text';

const BULK = 'http:bulk-body';

/** Bytes of a body from which parsing delays other requests noticeably. */
const LARGE_BYTES = 65_536;

/** Bytes of a result of a sync from which it counts among the unsent ones. */
const LARGE_RESULT_BYTES = 2 ** 20;

/**
 * A route whose body holds lists of many records: up to 64 MB, its arrays read as they are walked (JsonRows). Its answer may
 * be `Streamed`.
 *
 * @param where `stored` if an earlier request has sent the body, which counts as if this one sent it
 */
export const BulkBody = (where: 'sent' | 'stored' = 'sent'): MethodDecorator => SetMetadata(BULK, where);

/** A request with its body as it was sent: idempotency compares the very bytes. */
export type RawRequest = CallerRequest & { rawBody?: Buffer };

/**
 * Reads the body of a POST or PUT after the guards: a caller without access is rejected before it has sent the whole body,
 * and each route has its own limit. Rejects a body with content if the operation declares no `@Body`.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  private readonly slots = new BulkSlots();
  /** Large bodies are parsed one at a time, of each client in turn; other requests are served between two of them. */
  private readonly large = new KeyedLimit(1, undefined, 1);

  /**
   * Results of syncs that are being sent. Above their maximum of bytes, the one that began first loses its connection,
   * because others must not wait for a slow reader. Its sync is done.
   */
  private readonly unsent = new LRUCache<Response, number>({
    maxSize: BUDGETS.unsentResultBytes,
    sizeCalculation: (bytes) => Math.min(bytes, BUDGETS.unsentResultBytes),
    dispose: (_bytes, response, reason) => {
      if (reason === 'evict') response.destroy();
    },
  });

  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<RawRequest>();
    if (request.method !== 'POST' && request.method !== 'PUT') return next.handle();
    const takesBody = this.reflector.get<boolean | undefined>(TAKES_BODY, context.getHandler());
    const bulk = this.reflector.get<'sent' | 'stored' | undefined>(BULK, context.getHandler());
    const types = this.reflector.get<string[] | undefined>(TAKES_TYPES, context.getHandler()) ?? [];
    const response = context.switchToHttp().getResponse<Response>();
    const read = async (take?: Take): Promise<void> => {
      if (bulk === 'stored') await take?.(SYNC_BODY_BYTES);
      await this.read(request, response, bulk === 'sent', types, take);
      if (!takesBody) refuseContent(request);
    };
    if (!bulk) return from(read()).pipe(mergeMap(() => next.handle()));
    const work = (): Promise<unknown> =>
      lastValueFrom<unknown, unknown>(next.handle(), { defaultValue: undefined });
    const done = Promise.withResolvers<unknown>();
    const send = async (result: unknown): Promise<void> => {
      // A slow reader of the answer must not hold the body.
      request.rawBody = request.body = undefined;
      const bytes = result instanceof Streamed ? result.heldBytes : 0;
      if (bytes > LARGE_RESULT_BYTES) this.unsent.set(response, bytes);
      done.resolve(result);
      if (!response.closed) await once(response, 'close');
      this.unsent.delete(response);
    };
    this.slots.run(request.caller?.clientId ?? '', read, work, send).catch(done.reject);
    return from(done.promise);
  }

  private async read(
    request: RawRequest,
    response: Response,
    isBulk: boolean,
    types: readonly string[],
    take?: Take,
  ): Promise<void> {
    const { headers } = request;
    const contentType = headers['content-type'] ?? '';
    const isRaw = types.includes(mediaOf(contentType));
    const limit = isBulk ? SYNC_BODY_BYTES : BODY_BYTES;
    const announced = Number(headers['content-length'] ?? 0);
    if (headers['transfer-encoding'] === undefined && !announced) {
      request.rawBody = Buffer.alloc(0);
      return;
    }
    if (!isRaw && !isJsonInUtf8(contentType)) throw unsupported(types);
    // A body with a declared length is refused before any byte is read.
    if (announced > limit) throw tooLarge();
    const isPacked = headers['content-encoding'] !== undefined;
    // The length of a compressed body is known only after it has been unpacked.
    if (isPacked) await take?.(limit);
    const fault = Promise.withResolvers<never>();
    const rules = { announced, limit, take: isPacked ? undefined : take };
    const stopWatching = watchArrival(request, rules, fault.reject);
    const arrived = isPlain(headers)
      ? readPlain(request, announced)
      : readWithParser(request, response, limit);
    // The parser would read a body to its end before rejecting it, and a chunked body may not end.
    request.rawBody = await Promise.race([arrived, fault.promise]).finally(stopWatching);
    const { rawBody } = request;
    if (isRaw) {
      request.body = new RawBody(contentType, rawBody);
      return;
    }
    const parse = (): Promise<unknown> => parseBody(rawBody, isBulk);
    request.body = await (rawBody.length < LARGE_BYTES
      ? parse()
      : this.large.run(request.caller?.clientId ?? '', () => setImmediate().then(parse)));
  }
}

/** Reads a compressed body, or one without a declared length. */
async function readWithParser(request: RawRequest, response: Response, limit: number): Promise<Buffer> {
  if (request.destroyed) throw interrupted();
  await promisify(express.raw({ limit, type: () => true }))(request, response).catch((error: Error) => {
    throw readingError(error);
  });
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/** Many clients send an empty object to every operation. */
function refuseContent({ rawBody, body }: RawRequest): void {
  if (!rawBody?.length || (isPlainObject(body) && Object.keys(body).length === 0)) return;
  const detail = {
    en: 'must be absent or an empty object: the operation takes no body',
    fr: fr("doit être absent ou un objet vide : l'opération ne prend pas de corps"),
  };
  throw invalidRequest([{ pointer: '', code: 'unknown', detail }]);
}

function isPlain(headers: RawRequest['headers']): boolean {
  return headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined;
}

/**
 * Reads a body of a known length straight into its place. The parser would hold 64 MB twice: in pieces, and put together.
 *
 * @param length declared length, which `node:http` enforces
 */
function readPlain(request: RawRequest, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.destroyed) return reject(interrupted());
    const body = Buffer.allocUnsafe(length);
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.copy(body, received);
    });
    request.once('close', () => {
      // Creates no error after the end, because making one takes time even if no code reads it.
      if (!request.readableEnded) reject(interrupted());
    });
    request.once('end', () => {
      if (received === length) resolve(body);
      else reject(interrupted());
    });
  });
}

/** Returns the media type of a `Content-Type`, without parameters. */
function mediaOf(type: string): string {
  return type.split(';', 1)[0]!.trim().toLowerCase();
}

/** @param types media types that the operation takes beside JSON */
function unsupported(types: readonly string[]): DomainError {
  const accepted = ['application/json', ...types].join(', ');
  const detail = {
    en: `The body is neither JSON in UTF-8 nor of another type that this operation takes. Send one of these as Content-Type: ${accepted}.`,
    fr: fr`Le corps n’est ni du JSON en UTF-8 ni d’un autre type que cette opération accepte. Envoyez l’un de ces Content-Type : ${accepted}.`,
  };
  return new DomainError(REQUETE.TypeNonSupporte, types.length > 0 ? detail : undefined);
}

function isJsonInUtf8(type: string): boolean {
  const [, ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return (
    /^application\/(?:[\w.+-]+\+)?json$/.test(mediaOf(type)) &&
    (!charset || /^charset="?utf-?8"?$/.test(charset))
  );
}

function readingError(error: Error): Error {
  const { type } = error as { type?: string };
  return type === 'request.aborted' || type === 'request.size.invalid' ? interrupted() : error;
}
