import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const CHAMP_ACTIONS = actionsOf('champ', 'creer', 'modifier', 'supprimer');
export const EMPLOYE_ACTIONS = actionsOf('employe', 'creer', 'modifier', 'supprimer');
export const EMPLOYEUR_ACTIONS = actionsOf('employeur', 'creer', 'modifier', 'supprimer');

/** Every action of this context that the audit trail records. */
export const MEMBERSHIP_AUDITED_ACTIONS: readonly AuditedAction[] = [
  ...Object.values(CHAMP_ACTIONS),
  ...Object.values(EMPLOYE_ACTIONS),
  ...Object.values(EMPLOYEUR_ACTIONS),
];
