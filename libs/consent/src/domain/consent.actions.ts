import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const CONSENTEMENT_ACTIONS = actionsOf('consentement', 'creer');
export const OBJET_CONSENTEMENT_ACTIONS = actionsOf('objetConsentement', 'creer', 'modifier', 'supprimer');

/** Every action of this context that the audit trail records. */
export const CONSENT_AUDITED_ACTIONS: readonly AuditedAction[] = [
  ...Object.values(CONSENTEMENT_ACTIONS),
  ...Object.values(OBJET_CONSENTEMENT_ACTIONS),
];
