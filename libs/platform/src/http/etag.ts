import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import type { Json } from '../database/json';
import { etagOf } from '../input/if-match';
import { Streamed } from './streamed';

/** Returns true if a GET or HEAD names the ETag in `If-None-Match`, which means 304. */
export function holds(request: Request, tag: string): boolean {
  const known = request.get('if-none-match');
  if (known === undefined || !['GET', 'HEAD'].includes(request.method)) return false;
  // Weak comparison (RFC 9110, section 13.1.2).
  return known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}

/**
 * Sends an item with its ETag, or 304 without a body to a read whose `If-None-Match` names it. Express would ignore the
 * ETag of a request with `Cache-Control: no-cache`, which Node's fetch adds.
 */
export class EtagInterceptor implements NestInterceptor<Json | Streamed | undefined> {
  intercept(
    context: ExecutionContext,
    next: CallHandler<Json | Streamed | undefined>,
  ): Observable<Json | Streamed | undefined> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((item) => {
        if (item === undefined) return undefined;
        const tag = etagOf(item instanceof Streamed ? item.version! : item);
        response.setHeader('ETag', tag);
        if (!holds(response.req, tag)) return item;
        response.status(304);
        return undefined;
      }),
    );
  }
}
