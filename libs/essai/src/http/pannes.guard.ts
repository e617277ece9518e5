import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError } from '#platform/errors/domain-error';
import { intend } from '#platform/http/intended';
import { interrupted } from '#platform/limits/body-arrival';
import { FloodDelay } from '#platform/limits/flood-delay';
import { PannesService } from '../application/pannes.service';
import { PANNE } from '../domain/panne.errors';
import type { RehearsedRequest } from './horloge.guard';
import { Routes } from './routes';

/** Statuses whose responses have `Retry-After`. */
const WITH_RETRY_AFTER: readonly number[] = [429, 503];

/**
 * In staging, lets requests fail if the partner has asked for it. It runs before the guard of concurrent requests, because staging
 * shares that guard's slots with production.
 */
@Injectable()
export class PannesGuard implements CanActivate {
  constructor(
    private readonly pannes: PannesService,
    private readonly delay: FloodDelay,
  ) {}

  /** Returns true for routes without a failure, synchronously. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<RehearsedRequest>();
    return !request.panne || this.fail(request, http.getResponse<Response>());
  }

  private async fail(request: RehearsedRequest, response: Response): Promise<true> {
    const caller = request.caller!;
    const panne = await this.pannes.ofRoute(caller.tenantId!, Routes.nameOf(request));
    if (!panne) return true;
    intend(response);
    const { statut, delaiMs } = panne;
    if (delaiMs !== null) {
      await this.delay.asked(caller.cleId, response, delaiMs);
      return true;
    }
    if (statut === null) {
      response.destroy();
      throw interrupted();
    }
    const retryAfter = WITH_RETRY_AFTER.includes(statut) ? { retryAfterSeconds: 1 } : {};
    throw new DomainError({ ...PANNE.PanneSimulee, status: statut }, undefined, retryAfter);
  }
}
