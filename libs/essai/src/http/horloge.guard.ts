import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { AuthenticatedRequest } from '#access/requires.decorator';
import { RequestTimes } from '#platform/limits/request-times';
import { HorlogeService } from '../application/horloge.service';
import { Routes } from './routes';

export const HORLOGE_HEADER = 'Mandat-Horloge';

/** A request of which rehearsals may want a failure. */
export interface RehearsedRequest extends AuthenticatedRequest {
  /** Whether its route has a failure on demand. */
  panne?: boolean;
}

/**
 * Guard that accepts each request. It reads the clock of a staging data space, names it in a header if it was moved, and notes for
 * `PannesGuard` whether the route is to fail. One statement reads both.
 */
@Injectable()
export class HorlogeGuard implements CanActivate {
  constructor(private readonly horloges: HorlogeService) {}

  /** Answers requests of production at once, without a promise. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<RehearsedRequest>();
    const { caller } = request;
    if (caller?.environnement !== 'staging' || !caller.tenantId) return true;
    return this.prepare(caller.tenantId, request, http.getResponse<Response>());
  }

  private async prepare(tenantId: string, request: RehearsedRequest, response: Response): Promise<true> {
    const { aheadMs, panne } = await this.horloges.ofRequest(tenantId, Routes.nameOf(request));
    request.panne = panne;
    if (aheadMs > 0) {
      if (RequestTimes.current) RequestTimes.current.aheadMs = aheadMs;
      response.setHeader(HORLOGE_HEADER, new Date(Date.now() + aheadMs).toISOString());
    }
    return true;
  }
}
