import { ADHESION_AUDITED_ACTIONS } from '#adhesion';
import { CLIENTS_AUDITED_ACTIONS } from '#clients';
import { CONSENT_AUDITED_ACTIONS } from '#consent';
import { ESSAI_AUDITED_ACTIONS, HORLOGE_AUDITED_ACTIONS } from '#essai';
import { MEETING_AUDITED_ACTIONS } from '#meeting';
import { MEMBERSHIP_AUDITED_ACTIONS } from '#membership';
import { MESSAGING_AUDITED_ACTIONS } from '#messaging';
import { PERSONNE_AUDITED_ACTIONS } from '#personne';
import { ATTEST, BREAK, RESTORE } from '#platform/audit/audited-action';
import { SYNC_AUDITED_ACTIONS } from '#sync';
import { VOTING_AUDITED_ACTIONS } from '#voting';
import { WEBHOOKS_AUDITED_ACTIONS } from '#webhooks';

/** Every action that the audit trail records, in alphabetical order. */
export const AUDITED_ACTIONS: readonly string[] = [
  ...ADHESION_AUDITED_ACTIONS,
  ...CLIENTS_AUDITED_ACTIONS,
  ...CONSENT_AUDITED_ACTIONS,
  ...ESSAI_AUDITED_ACTIONS,
  ...HORLOGE_AUDITED_ACTIONS,
  ...MEETING_AUDITED_ACTIONS,
  ...MEMBERSHIP_AUDITED_ACTIONS,
  ...MESSAGING_AUDITED_ACTIONS,
  ...PERSONNE_AUDITED_ACTIONS,
  ATTEST,
  BREAK,
  RESTORE,
  ...SYNC_AUDITED_ACTIONS,
  ...VOTING_AUDITED_ACTIONS,
  ...WEBHOOKS_AUDITED_ACTIONS,
].sort();
