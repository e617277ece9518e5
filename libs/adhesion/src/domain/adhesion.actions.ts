import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const ADHESION_ACTIONS = actionsOf('adhesion', 'signer', 'supprimer');
export const AUTORISATION_PAIEMENT_ACTIONS = actionsOf('autorisationPaiement', 'creer');
export const CONCILIATION_ACTIONS = actionsOf('conciliation', 'confirmer', 'rejeter');
export const FORMULAIRE_ACTIONS = actionsOf('formulaire', 'creer', 'modifier', 'supprimer');
export const PAIEMENT_ACTIONS = actionsOf('paiement', 'creer');
export const SIGNATURE_ACTIONS = actionsOf('signature', 'lire');

/** Every action of this context that the audit trail records. */
export const ADHESION_AUDITED_ACTIONS: readonly AuditedAction[] = [
  ...Object.values(ADHESION_ACTIONS),
  ...Object.values(AUTORISATION_PAIEMENT_ACTIONS),
  ...Object.values(CONCILIATION_ACTIONS),
  ...Object.values(FORMULAIRE_ACTIONS),
  ...Object.values(PAIEMENT_ACTIONS),
  ...Object.values(SIGNATURE_ACTIONS),
];
