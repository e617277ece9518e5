import { DEBIT } from '#platform/errors/platform.errors';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { requirementOf } from '#access/requirement-of';
import { isProbe } from '#platform/http/public.decorator';
import { callerOf } from '#access/requires.decorator';
import { DomainError } from '#platform/errors/domain-error';
import { FloodDelay } from '#platform/limits/flood-delay';
import { RateLimiterService } from '../application/rate-limiter.service';
import { KeylessBudget } from '#platform/limits/keyless-budget';
import { fr } from '#platform/errors/text';

/**
 * Second guard: counts the request, sets the `RateLimit` headers and refuses with 429 beyond the limit of the key. Requests
 * to routes without a key are counted together; those of probes are not counted.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly rateLimiter: RateLimiterService,
    private readonly keylessBudget: KeylessBudget,
    private readonly floodDelay: FloodDelay,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (!requirementOf(this.reflector, context)) {
      if (isProbe(this.reflector, context) || this.keylessBudget.take()) return true;
      const { perSecond } = this.keylessBudget;
      const detail = {
        en: `The ${perSecond} requests without a key that the service answers in a second are used up, by all callers together. Retry after 1 s.`,
        fr: fr`Les ${perSecond} requêtes sans clé auxquelles le service répond en une seconde sont épuisées, par tous les appelants ensemble. Réessayez après 1 s.`,
      };
      throw new DomainError(DEBIT.Depasse, detail, { retryAfterSeconds: 1 });
    }
    const response = context.switchToHttp().getResponse<Response>();
    const caller = callerOf(context);
    const { allowed, limit, remaining, resetSeconds } = await this.rateLimiter.consume(caller);
    response.setHeader('RateLimit-Policy', `"default";q=${limit};w=60`);
    response.setHeader('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (allowed) return true;
    await this.floodDelay.afterRefusal(caller.cleId, response);
    const detail = {
      en: `The key's ${limit} requests of this minute are used up. Retry after ${resetSeconds} s.`,
      fr: fr`Les ${limit} requêtes de la clé pour cette minute sont épuisées. Réessayez après ${resetSeconds} s.`,
    };
    throw new DomainError(DEBIT.Depasse, detail, { retryAfterSeconds: resetSeconds });
  }
}
