import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { Caller } from '#shared/access/caller';
import { AuthenticatedRequest, PUBLIC, Requirement, REQUIREMENT } from '#shared/access/requires.decorator';
import { DomainError } from '#shared/errors/domain-error';
import { AuthenticationService } from '../application/authentication.service';
import { RateLimiterService } from '../application/rate-limiter.service';
import { TarpitService } from '../application/tarpit.service';

/** Stands for all callers without a valid key. */
const STRANGERS = 'strangers';
const STRANGERS_MINUTE_MS = 60_000;

/**
 * Stands before every route (decisions, section 2): 401, then 429, then 403. A route that declares neither
 * `@Requires` nor `@Public` is refused.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private strangers = { refused: 0, endsAt: 0 };

  constructor(
    private readonly reflector: Reflector,
    private readonly authentication: AuthenticationService,
    private readonly rateLimiter: RateLimiterService,
    private readonly tarpit: TarpitService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const declaredAt = [context.getHandler(), context.getClass()];
    const requirement = this.reflector.getAllAndOverride<Requirement | undefined>(REQUIREMENT, declaredAt);
    // Where both are declared, the requirement holds.
    if (!requirement) {
      if (this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC, declaredAt)) return true;
      throw new Error(`${context.getClass().name}.${context.getHandler().name} declares no access.`);
    }

    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const authenticate = (): Promise<Caller> => this.authentication.authenticate(request.get('x-api-key'));
    const caller = await authenticate().catch((error: unknown) =>
      this.refuseStranger(error, request, response),
    );
    request.caller = caller;

    const rate = await this.rateLimiter.consume(caller);
    response.setHeader('RateLimit-Policy', `"default";q=${rate.limit};w=60`);
    response.setHeader('RateLimit', `"default";r=${rate.remaining};t=${rate.resetSeconds}`);
    if (this.tarpit.holds(rate.refused)) {
      await this.tarpit.hold(caller.cleId, rate.refused, request, response);
      // Nothing is done for a caller who has gone, nor for a key that was revoked meanwhile.
      if (response.destroyed)
        throw new DomainError('Requete.Interrompue', 'The connection ended before the answer.');
      if (rate.allowed) request.caller = await authenticate();
    }
    if (!rate.allowed) {
      const detail = `The key's ${rate.limit} requests of this minute are used up. Retry after ${rate.resetSeconds} s.`;
      throw new DomainError('Debit.Depasse', detail, { retryAfterSeconds: rate.resetSeconds });
    }

    if (caller.role !== requirement.role) {
      const detail = `This operation needs a key of role ${requirement.role}; this key has role ${caller.role}.`;
      throw new DomainError('Cle.RoleInsuffisant', detail);
    }
    const { module } = requirement;
    if (module && !caller.modules.includes(module)) {
      throw new DomainError('Module.NonActif', `The module ${module} is not active for this key.`, {
        module,
      });
    }
    return true;
  }

  /**
   * Who has no valid key cannot be told from others: all of them are held back together when they are many. That delays
   * nobody whose key holds.
   */
  private async refuseStranger(error: unknown, request: Request, response: Response): Promise<never> {
    if (error instanceof DomainError) {
      const now = performance.now();
      if (now >= this.strangers.endsAt) this.strangers = { refused: 0, endsAt: now + STRANGERS_MINUTE_MS };
      await this.tarpit.hold(STRANGERS, ++this.strangers.refused, request, response);
    }
    throw error;
  }
}
