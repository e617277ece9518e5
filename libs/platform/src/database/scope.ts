import type { Entry } from './entered-query';
import { ACCESS_ROLE, APP_ROLE, ERASURE_ROLE } from './roles';

/**
 * Where statements run: in one tenant's data space, or in administration. `erasing` adds the rights that removing all of a
 * person takes; statements of the data space may be part of it.
 */
export type Scope = TenantScope | AdministrationScope;
export type TenantScope = { readonly tenantId: string; readonly erasing?: true };
type AdministrationScope =
  typeof ADMINISTRATION | typeof OWN_CELL | { readonly cell: string } | { readonly administrationOf: string };

/** The scope of clients and keys, which belongs to no tenant. */
export const ADMINISTRATION = Symbol('administration');

/** The scope of all tenants in the worker's cell. Its role sees only what is due, and old rows. */
export const OWN_CELL = Symbol('own cell');

/** The nil GUID stands for "no tenant" in rows that administration owns. */
export const NO_TENANT = '00000000-0000-0000-0000-000000000000';

export function isAdministration(scope: Scope): scope is AdministrationScope {
  return typeof scope === 'symbol' || !('tenantId' in scope);
}

/** The tenant of a scope. */
export function keyOf(scope: Scope): string {
  return isAdministration(scope) ? NO_TENANT : scope.tenantId;
}

/** The space that a scope names; '' if it names none. */
export function spaceOf(scope: Scope): string {
  if (typeof scope === 'symbol') return '';
  if ('tenantId' in scope) return scope.tenantId;
  return 'administrationOf' in scope ? scope.administrationOf : '';
}

/** The values of `ENTER` for a transaction in a scope. */
export function entryOf(scope: Scope, isReadOnly: boolean): Entry {
  const access = isReadOnly ? 'on' : 'off';
  const written = isReadOnly ? '' : spaceOf(scope);
  if (isAdministration(scope)) return [ACCESS_ROLE, NO_TENANT, access, written];
  return [scope.erasing ? ERASURE_ROLE : APP_ROLE, scope.tenantId, access, written];
}

/** Whether what runs in the inner scope may be part of the outer one. */
export function includes(outer: Scope, inner: Scope): boolean {
  if (isAdministration(outer) || isAdministration(inner)) return outer === inner;
  return outer.tenantId === inner.tenantId && (outer.erasing ?? !inner.erasing);
}
