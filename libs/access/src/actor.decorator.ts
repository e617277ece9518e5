import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ActorWithModules } from './caller';
import type { Actor } from '#platform/audit/actor';
import { callerOf } from './requires.decorator';
import { traceOf } from '#platform/http/tracing';

/** The key and the id of the request, for the audit trail. */
export const CurrentActor = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Actor => actorOf(context).actor,
);

/** The actor with the modules that the key may use. */
export const CurrentActorWithModules = createParamDecorator(
  (_data: unknown, context: ExecutionContext): ActorWithModules => actorOf(context),
);

function actorOf(context: ExecutionContext): ActorWithModules {
  const { cleId, modules } = callerOf(context);
  return { actor: { cleId, requestId: traceOf(context.switchToHttp().getRequest()).requestId }, modules };
}
