import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { AuthenticatedRequest } from '#access/requires.decorator';
import { RequestTimes } from '#platform/limits/request-times';
import { HorlogeService } from '../application/horloge.service';

export const HORLOGE_HEADER = 'Mandat-Horloge';

/** Guard that accepts each request. It reads the clock of a staging data space, and names it in a header if it was moved. */
@Injectable()
export class HorlogeGuard implements CanActivate {
  constructor(private readonly horloges: HorlogeService) {}

  /** Answers requests of production at once, without a promise. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<AuthenticatedRequest>();
    if (caller?.environnement !== 'staging' || !caller.tenantId) return true;
    return this.show(caller.tenantId, http.getResponse<Response>());
  }

  private async show(tenantId: string, response: Response): Promise<true> {
    const aheadMs = await this.horloges.aheadMs(tenantId);
    if (aheadMs > 0) {
      if (RequestTimes.current) RequestTimes.current.aheadMs = aheadMs;
      response.setHeader(HORLOGE_HEADER, new Date(Date.now() + aheadMs).toISOString());
    }
    return true;
  }
}
