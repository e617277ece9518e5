import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { BUDGETS, overBudget } from './budgets';
import type { CallerRequest } from './caller';
import { DatabaseTime } from './database-time';
import { KeyedLimit } from './keyed-limit';
import { untilClosed } from './list-parts';
import { interrupted } from './body-arrival';
import { SlowReaders } from './slow-readers';
import { RequestTimes } from './request-times';
import { fr } from '../errors/text';

const RETRY_S = 5;

/**
 * Fourth guard: serves a bounded number of requests of each client at once (`BUDGETS.requests`), from here until the reader has taken
 * the answer. The bodies that are being read, the answers that are not taken and the connections of the database are thereby
 * bounded, too. Keys of the platform have a budget of their own, so a partner's slow requests never hold up votes.
 */
@Injectable()
export class RequestsGuard implements CanActivate {
  private readonly requests = new KeyedLimit(BUDGETS.requests, {
    longest: BUDGETS.waitingRequests,
    waitMs: BUDGETS.waitMs,
    refusal: () =>
      overBudget(
        { en: `${BUDGETS.requests} requests at once`, fr: fr`${BUDGETS.requests} requêtes à la fois` },
        RETRY_S,
      ),
  });

  constructor(
    private readonly databaseTime: DatabaseTime,
    private readonly slowReaders: SlowReaders,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    RequestTimes.current?.accessEnds();
    const http = context.switchToHttp();
    const { caller } = http.getRequest<CallerRequest>();
    // Probes and documents have no caller.
    if (!caller) return true;
    const { clientId, role, cleId } = caller;
    if (clientId && role === 'partenaire') this.databaseTime.assertLeft(clientId);
    const response = http.getResponse<Response>();
    await untilClosed(this.requests, `${clientId ?? cleId} ${role}`, response);
    if (response.closed) throw interrupted();
    this.slowReaders.watch(response);
    return true;
  }
}
