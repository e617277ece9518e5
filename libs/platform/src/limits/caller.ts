import type { Request } from 'express';

/** The caller of a request as far as the platform needs it; the guards set it. */
export interface RequestCaller {
  readonly cleId: string;
  readonly role: string;
  /** Undefined for callers outside every tenant. */
  readonly tenantId?: string;
  /** The client of the tenant, to which budgets belong. */
  readonly clientId?: string;
  readonly modules: readonly string[];
}

/** A request whose key has been checked, if the route needs one. */
export type CallerRequest = Request & { caller?: RequestCaller };
