import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const POINT_ACTIONS = actionsOf('point', 'creer', 'resultats');
export const SEANCE_ACTIONS = actionsOf('seance', 'creer', 'presences');

/** Every action of this context that the audit trail records. */
export const MEETING_AUDITED_ACTIONS: readonly AuditedAction[] = [
  ...Object.values(POINT_ACTIONS),
  ...Object.values(SEANCE_ACTIONS),
];
