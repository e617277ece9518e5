import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../access/requires.decorator';
import type { BodyInterceptor } from './body.interceptor';
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
  private readonly declared = new Map<unknown, boolean>();

  constructor(
    private readonly body: BodyInterceptor,
    private readonly idempotency: IdempotencyInterceptor,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    this.refuseStrayQuery(context, request);
    if (request.method !== 'POST' && request.method !== 'PUT') return next.handle();
    return this.body.intercept(context, { handle: () => this.idempotency.intercept(context, next) });
  }

  /**
   * Refuses every query parameter of an operation that declares none. The others are checked by their request class;
   * without this, a mistyped filter on a plain operation would be ignored silently (decisions, section 3).
   */
  private refuseStrayQuery(context: ExecutionContext, { caller, query }: AuthenticatedRequest): void {
    // Probes answer whatever is added to their address.
    if (!caller || Object.keys(query).length === 0) return;
    const handler = context.getHandler();
    let declares = this.declared.get(handler);
    if (declares === undefined) this.declared.set(handler, (declares = declaresQuery(context)));
    if (!declares) readInput(NoQuery, query, 'query');
  }
}

function declaresQuery(context: ExecutionContext): boolean {
  const parameters = Reflect.getMetadata(
    ROUTE_ARGS_METADATA,
    context.getClass(),
    context.getHandler().name,
  ) as Record<string, unknown> | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
