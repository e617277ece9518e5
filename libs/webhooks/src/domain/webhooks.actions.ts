import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const WEBHOOK_ACTIONS = actionsOf(
  'webhook',
  'certifier',
  'constater',
  'creer',
  'modifier',
  'recuperer',
  'renvoyer',
  'rotation',
  'supprimer',
  'tester',
);

/** Every action of this context that the audit trail records. */
export const WEBHOOKS_AUDITED_ACTIONS: readonly AuditedAction[] = [...Object.values(WEBHOOK_ACTIONS)];
