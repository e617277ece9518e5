import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';

export const PUBLIC = 'http:public';
const PROBE = 'http:probe';

/** Declares that a route needs no key. A route with neither declaration is refused. */
export function Public(): MethodDecorator & ClassDecorator {
  return SetMetadata(PUBLIC, true);
}

/** Declares a route for operators: it needs no key and is outside every budget of requests. */
export function Probe(): MethodDecorator & ClassDecorator {
  return applyDecorators(Public(), SetMetadata(PROBE, true));
}

/** Whether the route is a probe. */
export function isProbe(reflector: Reflector, context: ExecutionContext): boolean {
  const declaredAt = [context.getHandler(), context.getClass()];
  return reflector.getAllAndOverride<boolean | undefined>(PROBE, declaredAt) ?? false;
}
