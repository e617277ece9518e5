import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const EMPLOYE_ACTIONS = actionsOf('employe', 'effacer', 'exporter', 'fusionner', 'renommer');

/** Every action of this context that the audit trail records. */
export const PERSONNE_AUDITED_ACTIONS: readonly AuditedAction[] = [...Object.values(EMPLOYE_ACTIONS)];
