import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest } from '#shared/access/requires.decorator';
import { traceOf } from '#shared/http/tracing';
import type { Expediteur } from '../application/courriels.service';

/** Who sends letters: the key of the request, under its id, with the modules that it may use. */
export const CurrentExpediteur = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Expediteur => {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (!request.caller) throw new Error('A route that reads its caller must declare @Requires.');
    const { cleId, modules } = request.caller;
    return { actor: { cleId, requestId: traceOf(request).requestId }, modules };
  },
);
