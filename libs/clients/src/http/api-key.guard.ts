import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { requirementOf } from '#shared/access/requirement-of';
import type { AuthenticatedRequest } from '#shared/access/requires.decorator';
import { DomainError } from '#shared/errors/domain-error';
import { AuthenticationService } from '../application/authentication.service';
import { FloodDelay } from './flood-delay';

/** Counts all callers without a valid key together, because they are indistinguishable. */
const WITHOUT_KEY = 'without a valid key';

/**
 * First guard: finds the caller of the key and refuses other requests with 401. A route that declares neither `@Requires`
 * nor `@Public` fails with 500.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authentication: AuthenticationService,
    private readonly floodDelay: FloodDelay,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (!requirementOf(this.reflector, context)) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    try {
      request.caller = await this.authentication.authenticate(request.get('x-api-key'));
    } catch (error) {
      if (error instanceof DomainError) {
        await this.floodDelay.afterRefusal(WITHOUT_KEY, http.getResponse<Response>());
      }
      throw error;
    }
    return true;
  }
}
