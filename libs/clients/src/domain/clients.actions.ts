import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const CLE_ACTIONS = actionsOf('cle', 'creer', 'revoquer', 'rotation');
export const CLIENT_ACTIONS = actionsOf(
  'client',
  'creer',
  'modifier',
  'suspendre',
  'reprendre',
  'supprimer',
  'effacer',
);
export const ESPACE_ACTIONS = actionsOf('espace', 'deplacer');

/** Every action of this context that the audit trail records. */
export const CLIENTS_AUDITED_ACTIONS: readonly AuditedAction[] = [
  ...Object.values(CLE_ACTIONS),
  ...Object.values(CLIENT_ACTIONS),
  ...Object.values(ESPACE_ACTIONS),
];
