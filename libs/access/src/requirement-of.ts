import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { PUBLIC } from '#platform/http/public.decorator';
import { type Requirement, REQUIREMENT } from './requires.decorator';

/**
 * Returns the `@Requires` of the route, or undefined if the route is `@Public`. `@Requires` wins if both are declared.
 *
 * @throws Error if the route declares neither
 */
export function requirementOf(reflector: Reflector, context: ExecutionContext): Requirement | undefined {
  const [handler, controller] = [context.getHandler(), context.getClass()];
  const declaredAt = [handler, controller];
  const requirement = reflector.getAllAndOverride<Requirement | undefined>(REQUIREMENT, declaredAt);
  if (requirement || reflector.getAllAndOverride<boolean | undefined>(PUBLIC, declaredAt)) return requirement;
  throw new Error(`${controller.name}.${handler.name} declares no access.`);
}
