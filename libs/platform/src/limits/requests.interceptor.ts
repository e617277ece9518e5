import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { from, mergeMap, type Observable } from 'rxjs';
import { BUDGETS, overBudget } from './budgets';
import type { CallerRequest } from './caller';
import { DatabaseTime } from './database-time';
import { KeyedLimit } from './keyed-limit';
import { untilClosed } from './list-parts';
import { interrupted } from './body-arrival';
import { SlowReaders } from './slow-readers';

const RETRY_S = 5;

/**
 * Serves a bounded number of requests of each client at once (`BUDGETS.requests`), from here until the reader has taken
 * the answer. The bodies that are being read, the answers that are not taken and the connections of the database are thereby
 * bounded, too. Keys of the platform have a budget of their own, so a partner's slow requests never hold up votes.
 */
@Injectable()
export class RequestsInterceptor implements NestInterceptor {
  private readonly requests = new KeyedLimit(BUDGETS.requests, {
    longest: BUDGETS.waitingRequests,
    waitMs: BUDGETS.waitMs,
    refusal: () => overBudget(`${BUDGETS.requests} requests at once`, RETRY_S),
  });

  constructor(
    private readonly databaseTime: DatabaseTime,
    private readonly slowReaders: SlowReaders,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<CallerRequest>();
    // Probes and documents have no caller.
    if (!caller) return next.handle();
    const { clientId, role, cleId } = caller;
    if (clientId && role === 'partenaire') this.databaseTime.assertLeft(clientId);
    return from(this.admitted(`${clientId ?? cleId} ${role}`, http.getResponse<Response>())).pipe(
      mergeMap(() => next.handle()),
    );
  }

  /** Resolves when the request may begin. It counts until its connection has sent the answer. */
  private async admitted(key: string, response: Response): Promise<void> {
    await untilClosed(this.requests, key, response);
    if (response.closed) throw interrupted();
    this.slowReaders.watch(response);
  }
}
