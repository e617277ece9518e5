import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest } from '#shared/access/requires.decorator';
import { traceOf } from '#shared/http/tracing';
import type { Manager } from '../application/webhooks.service';

/** Who manages endpoints: the key of the request, under its id, with the modules that it may use. */
export const CurrentManager = createParamDecorator((_data: unknown, context: ExecutionContext): Manager => {
  const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!request.caller) throw new Error('A route that reads its caller must declare @Requires.');
  const { cleId, modules } = request.caller;
  return { actor: { cleId, requestId: traceOf(request).requestId }, modules };
});
