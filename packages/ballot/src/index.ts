import { type AuditFailure, checkAudit as checkAuditWith } from './audit.js';
import { base64url, bytesOf } from './bytes.js';
import { randomScalar } from './group.js';
import { digestOf } from './hash.js';
import { noble } from './noble.js';
import { type Choix, type OpenedBallot, type SealedBallot, sealWith } from './seal.js';
import type { Scrutin } from './structure.js';

export type { AuditFailure } from './audit.js';
export { type CastBallot, ChoiceError, type Choix, type OpenedBallot, type SealedBallot } from './seal.js';
export type { Question, Scrutin } from './structure.js';

/**
 * Seals choices on the voter's device.
 * @throws ChoiceError for choices that are not allowed @throws TypeError if the vote allows no ballot
 */
export function seal(scrutin: Scrutin, VotantId: string, choix: Choix): SealedBallot {
  return sealWith(noble, () => randomScalar(), scrutin, VotantId, choix);
}

/**
 * Checks an opened ballot on a second device. Returns undefined if it is right and encrypts its choices.
 * @throws TypeError for other JSON @throws ChoiceError for choices that its vote does not allow
 */
export function checkAudit(opened: OpenedBallot): AuditFailure | undefined {
  return checkAuditWith(noble, opened);
}

/** Returns the receipt of a ballot. @throws TypeError for another text than base64url */
export function receiptOf(bulletin: string): string {
  const bytes = bytesOf(bulletin);
  if (!bytes) throw new TypeError('bulletin is not base64url.');
  return base64url(digestOf(bytes));
}
