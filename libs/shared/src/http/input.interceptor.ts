import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../access/requires.decorator';
import { invalidRequest } from '../errors/domain-error';
import { isPlainObject } from '../records/fold';
import type { BodyInterceptor, RawRequest } from './body.interceptor';
import type { IdempotencyInterceptor } from './idempotency.interceptor';
import { readInput } from './read-input';

/** The parameters of an operation that takes none. */
class NoQuery {}

/**
 * What stands between access and the handler: a query string that the operation does not take is refused; a write has
 * its body read and its `Idempotency-Key` honoured. One interceptor for all of it, since each is paid for by every
 * request, and reads need neither of the last two.
 */
@Injectable()
export class InputInterceptor implements NestInterceptor {
  /** What of a request each handler takes. */
  private readonly declared = new Map<unknown, ReadonlySet<RouteParamtypes>>();

  constructor(
    private readonly body: BodyInterceptor,
    private readonly idempotency: IdempotencyInterceptor,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    this.refuseStrayQuery(context, request);
    if (request.method !== 'POST' && request.method !== 'PUT') return next.handle();
    return this.body.intercept(context, {
      handle: () => {
        this.refuseStrayBody(context, request);
        return this.idempotency.intercept(context, next);
      },
    });
  }

  /**
   * Refuses every query parameter of an operation that declares none. The others are checked by their request class;
   * without this, a mistyped filter on a plain operation would be ignored silently (decisions, section 3).
   */
  private refuseStrayQuery(context: ExecutionContext, { caller, query }: AuthenticatedRequest): void {
    // Probes answer whatever is added to their address.
    if (!caller || Object.keys(query).length === 0) return;
    if (!this.declares(context, RouteParamtypes.QUERY)) readInput(NoQuery, query, 'query');
  }

  /** Refuses what a body says to an operation that takes none; many clients send an empty object to every one. */
  private refuseStrayBody(context: ExecutionContext, { rawBody, body }: RawRequest): void {
    if (!rawBody?.length || this.declares(context, RouteParamtypes.BODY)) return;
    if (isPlainObject(body) && Object.keys(body).length === 0) return;
    const detail = 'must be absent or an empty object: the operation takes no body';
    throw invalidRequest([{ pointer: '', code: 'unknown', detail }]);
  }

  private declares(context: ExecutionContext, kind: RouteParamtypes): boolean {
    const handler = context.getHandler();
    let kinds = this.declared.get(handler);
    if (!kinds) this.declared.set(handler, (kinds = declaredKinds(context)));
    return kinds.has(kind);
  }
}

function declaredKinds(context: ExecutionContext): ReadonlySet<RouteParamtypes> {
  const parameters = Reflect.getMetadata(
    ROUTE_ARGS_METADATA,
    context.getClass(),
    context.getHandler().name,
  ) as Record<string, unknown> | undefined;
  return new Set(Object.keys(parameters ?? {}).map((key) => Number(key.split(':')[0])));
}
