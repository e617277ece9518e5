import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { comparisons } from '../limits/list-parts';
import type { CallerRequest } from '../limits/caller';

const COMPARES = 'http:compares';

/** Declares an operation that is one of the `comparisons` of its client. */
export const Compares = (): MethodDecorator => SetMetadata(COMPARES, true);

/**
 * Runs the comparisons of a client one at a time. They wait here and hold no connection, because the interceptor of idempotency,
 * which begins a transaction, comes next.
 */
@Injectable()
export class ComparisonInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (!this.reflector.get<boolean | undefined>(COMPARES, context.getHandler())) return next.handle();
    const client = context.switchToHttp().getRequest<CallerRequest>().caller?.clientId ?? '';
    return from(comparisons.run(client, () => lastValueFrom<unknown>(next.handle())));
  }
}
