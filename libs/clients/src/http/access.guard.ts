import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { AuthenticatedRequest, PUBLIC, Requirement, REQUIREMENT } from '#shared/access/requires.decorator';
import { DomainError } from '#shared/errors/domain-error';
import { AuthenticationService } from '../application/authentication.service';
import { RateLimiterService } from '../application/rate-limiter.service';

/**
 * Stands before every route (decisions, section 2): 401, then 429, then 403. A route that declares neither
 * `@Requires` nor `@Public` is refused.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authentication: AuthenticationService,
    private readonly rateLimiter: RateLimiterService,
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
    const caller = await this.authentication.authenticate(request.get('x-api-key'));
    request.caller = caller;

    const rate = await this.rateLimiter.consume(caller);
    const response = context.switchToHttp().getResponse<Response>();
    response.setHeader('RateLimit-Policy', `"default";q=${rate.limit};w=60`);
    response.setHeader('RateLimit', `"default";r=${rate.remaining};t=${rate.resetSeconds}`);
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
}
