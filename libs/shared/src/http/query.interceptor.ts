import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../access/requires.decorator';
import { readInput } from './read-input';

/** The parameters of an operation that takes none. */
class NoQuery {}

/**
 * Refuses every query parameter on operations that declare none. The others are checked by their request class; without
 * this, a mistyped filter on a plain operation would be ignored silently (decisions, section 3).
 */
@Injectable()
export class QueryInterceptor implements NestInterceptor {
  private readonly declared = new Map<unknown, boolean>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const { query } = request;
    // Probes answer whatever is added to their address.
    if (request.caller && Object.keys(query).length > 0 && !this.takesQuery(context))
      readInput(NoQuery, query, 'query');
    return next.handle();
  }

  private takesQuery(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    let declares = this.declared.get(handler);
    if (declares === undefined) this.declared.set(handler, (declares = declaresQuery(context)));
    return declares;
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
