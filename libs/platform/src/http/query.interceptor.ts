import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Observable } from 'rxjs';
import type { CallerRequest } from './caller';
import { type InputFault, invalidRequest } from '../errors/domain-error';
import { foldRecord } from '../input/fold';
import { TAKES_QUERY } from '../input/request-parts.decorator';

/**
 * Refuses every query parameter of an operation that declares no `@Query`. InputPipe checks those of the others;
 * without this, a mistyped filter on a plain operation would be ignored silently (docs/contract.md, "Unknown names").
 */
@Injectable()
export class QueryInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (this.reflector.get<boolean | undefined>(TAKES_QUERY, context.getHandler())) return next.handle();
    const { caller, query } = context.switchToHttp().getRequest<CallerRequest>();
    const faults: InputFault[] = [];
    foldRecord(query, {}, 'query', '', faults);
    // Probes respond whatever is added to their address.
    if (caller && faults.length > 0) throw invalidRequest(faults);
    return next.handle();
  }
}
