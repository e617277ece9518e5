import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const SYNC_ACTIONS = actionsOf('sync', 'v1', 'v2', 'annuler');
export const PLAN_ACTIONS = actionsOf('plan', 'autoriser');

/** Every action of this context that the audit trail records. */
export const SYNC_AUDITED_ACTIONS: readonly AuditedAction[] = [
  ...Object.values(SYNC_ACTIONS),
  ...Object.values(PLAN_ACTIONS),
];
