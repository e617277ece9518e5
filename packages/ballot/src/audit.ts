import { areEqual, bytesOf } from './bytes.js';
import { checker, type Failure } from './checks.js';
import { decodeScalar, type Group } from './group.js';
import { type Place, readBallot, writeCiphertexts } from './layout.js';
import { encrypt, type OpenedBallot, slotBits } from './seal.js';
import { voteOf } from './vote.js';

/** A failed check of an opened ballot: one of every ballot, or that its randomness opens it as the choices. */
export interface AuditFailure extends Place {
  readonly check: Failure['check'] | 'opening';
}

/**
 * Returns undefined if an opened ballot is right and encrypts its choices.
 * @throws TypeError for other JSON @throws ChoiceError for choices that its vote does not allow
 */
export function checkAudit<P>(group: Group<P>, opened: OpenedBallot): AuditFailure | undefined {
  const { scrutin, VotantId, bulletin, choix, aleas } = opened;
  const bytes = bytesOf(bulletin) ?? new Uint8Array();
  const failure = checker(group, scrutin).check(VotantId, bytes);
  if (failure) return failure;
  const vote = voteOf(group, scrutin);
  const { slots } = readBallot(vote, bytes);
  const bits = slotBits(vote.limits, choix);
  if (aleas.length !== bits.flat().length) return { check: 'opening' };
  let next = 0;
  for (const [question, ofQuestion] of bits.entries()) {
    for (const [slot, bit] of ofQuestion.entries()) {
      const r = decodeScalar(bytesOf(aleas[next++]!) ?? new Uint8Array());
      const isRight =
        r !== undefined &&
        areEqual(
          writeCiphertexts(group, [[encrypt(vote, { number: bit, r })]]),
          writeCiphertexts(group, [[slots[question]![slot]!]]),
        );
      if (!isRight) return { check: 'opening', question, ...(slot === 0 ? {} : { option: slot - 1 }) };
    }
  }
  return undefined;
}
