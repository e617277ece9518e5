import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const ESSAI_ACTIONS = actionsOf('essai', 'effacer');

/** Actions on data of rehearsals that the audit trail records. */
export const ESSAI_AUDITED_ACTIONS: readonly AuditedAction[] = Object.values(ESSAI_ACTIONS);
