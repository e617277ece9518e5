import { actionsOf, type AuditedAction } from '#platform/audit/audited-action';

export const CAMPAGNE_ACTIONS = actionsOf(
  'campagne',
  'archiver',
  'creer',
  'depublier',
  'fermer',
  'graine',
  'modifier',
  'ouvrir',
  'publier',
  'seuilAnonymat',
  'structurer',
  'supprimer',
);
export const CHIFFREMENT_ACTIONS = actionsOf('chiffrement', 'definir', 'fichier');
export const LISTE_ELECTORALE_ACTIONS = actionsOf('listeElectorale', 'appliquer', 'creer');
export const URNE_ACTIONS = actionsOf('urne', 'anomalie', 'constater');
export const VOTANT_ACTIONS = actionsOf('votant', 'droitDeVote', 'enregistrer', 'supprimer');

/** Every action of this context that the audit trail records. */
export const VOTING_AUDITED_ACTIONS: readonly AuditedAction[] = [
  ...Object.values(CAMPAGNE_ACTIONS),
  ...Object.values(CHIFFREMENT_ACTIONS),
  ...Object.values(LISTE_ELECTORALE_ACTIONS),
  ...Object.values(URNE_ACTIONS),
  ...Object.values(VOTANT_ACTIONS),
];
