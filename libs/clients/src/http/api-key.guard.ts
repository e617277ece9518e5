import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { requirementOf } from '#access/requirement-of';
import type { AuthenticatedRequest } from '#access/requires.decorator';
import { RequestTimes } from '#platform/limits/request-times';
import { AuthenticationService } from '../application/authentication.service';

/**
 * First guard: finds the caller of the key and refuses other requests with 401. A route that declares neither `@Requires`
 * nor `@Public` fails with 500.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authentication: AuthenticationService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    RequestTimes.current?.accessBegins();
    if (!requirementOf(this.reflector, context)) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    request.caller = await this.authentication.authenticate(request.get('x-api-key'));
    return true;
  }
}
