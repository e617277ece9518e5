import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const HORLOGE_ACTIONS = actionsOf('horloge', 'avancer');

/** Every action on the clock of a rehearsal that the audit trail records. */
export const HORLOGE_AUDITED_ACTIONS: readonly AuditedAction[] = Object.values(HORLOGE_ACTIONS);
