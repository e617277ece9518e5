import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { KeyedLimit } from '../ops/keyed-limit';
import { comparisons } from '../ops/list-parts';
import type { CallerRequest } from './caller';

const LINE = 'http:line';

/** Declares an operation that is one of the `comparisons`: it waits for its client's turn before its transaction begins. */
export const Compares = (): MethodDecorator => SetMetadata(LINE, comparisons);

/** Runs operations in their line. It stands before the interceptor of idempotency, which begins a transaction. */
@Injectable()
export class LineInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const line = this.reflector.get<KeyedLimit | undefined>(LINE, context.getHandler());
    if (!line) return next.handle();
    const client = context.switchToHttp().getRequest<CallerRequest>().caller?.clientId ?? '';
    return from(line.run(client, () => lastValueFrom<unknown>(next.handle())));
  }
}
