import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const COURRIEL_ACTIONS = actionsOf('courriel', 'envoyer', 'noterRetours');

/** Every action of this context that the audit trail records. */
export const MESSAGING_AUDITED_ACTIONS: readonly AuditedAction[] = [...Object.values(COURRIEL_ACTIONS)];
