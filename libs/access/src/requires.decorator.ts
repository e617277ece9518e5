import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import { type Caller, type Environment, type ModuleName, type Role } from './caller';

/** Role, module and environment that a route requires. */
export interface Requirement {
  readonly role: Role;
  readonly module?: ModuleName;
  /** Set where the route must never touch production. */
  readonly environnement?: Environment;
}

export const REQUIREMENT = 'access:requirement';

/** Declares who may call a route; the guards and the OpenAPI document read it. */
export function Requires(requirement: Requirement): MethodDecorator & ClassDecorator {
  return applyDecorators(
    SetMetadata(REQUIREMENT, requirement),
    ApiSecurity('X-Api-Key'),
    ApiExtension('x-requires', requirement),
  );
}

/** A request whose key has been checked. */
export type AuthenticatedRequest = Request & { caller?: Caller };

/**
 * Returns the caller of the request.
 *
 * @throws Error if no key was checked, because the route does not declare `@Requires`
 */
export function callerOf(context: ExecutionContext): Caller {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!caller) throw new Error('A route that reads its caller must declare @Requires.');
  return caller;
}

/** The caller of the request. */
export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  callerOf(context),
);

/** The data space of the caller. */
export const Tenant = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { tenantId } = callerOf(context);
  if (!tenantId) throw new Error('A route that reads its tenant must require a role that has one.');
  return tenantId;
});
