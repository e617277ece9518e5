import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Actor } from '../access/caller';
import type { AuthenticatedRequest } from '../access/requires.decorator';
import { traceOf } from './tracing';

/** Who sends the request and under which id, for the audit trail. */
export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!request.caller) throw new Error('A route that reads its caller must declare @Requires.');
  return { cleId: request.caller.cleId, requestId: traceOf(request).requestId };
});
