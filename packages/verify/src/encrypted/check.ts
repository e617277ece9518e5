import { type EncryptedAnswers } from '../answers.js';
import { BALLOTS, type Bundle, type Manifest, type Vote, VOTE } from '../bundle.js';
import { type Findings } from '../findings.js';
import { type HeldReceipt } from '../log.js';
import { type Marked } from '../roll.js';
import { type Progress } from '../progress.js';
import { checkBallots, checkHeld, checkVoters } from './ballots.js';
import { checkCeremony } from './ceremony.js';
import { checkDecryptions, checkFigures } from './decryptions.js';
import { electionOf } from './structure.js';
import { checkSums } from './sums.js';

/** Known facts about voters: their receipts, their identifiers, and the voters whom the roll marks. */
export interface Known {
  readonly receipts: readonly HeldReceipt[];
  readonly voters: readonly string[];
  readonly marked?: Marked;
}

/** Checks the additional files of an encrypted vote: ceremony, ballots, sums, decryptions, and that the figures match them. */
export async function checkEncrypted(
  bundle: Bundle,
  manifest: Manifest,
  vote: Vote,
  answers: readonly EncryptedAnswers[],
  { receipts, voters, marked }: Known,
  findings: Findings,
  progress: Progress,
): Promise<void> {
  const ceremony = checkCeremony(bundle, manifest, vote, findings);
  if (!ceremony) return;
  const election = findings.attempt(VOTE, () => electionOf(vote, ceremony.digest, ceremony.key));
  if (!election) return;
  const size = bundle.archive.entries.find(({ name }) => name === BALLOTS)?.size ?? 0;
  const checked = await checkBallots(bundle, vote, election, findings, progress('encrypted ballots', size));
  if (checked) checkHeld(checked.ballots, election, voters, receipts, findings);
  if (checked && marked) checkVoters(checked.ballots, election, marked, findings);
  const sums = checkSums(bundle, vote, election.questions, checked?.added, findings);
  if (!sums) return;
  const parts = sums.reduce(
    (all, { numbers, weights }) => all + numbers.flat().length * (weights ? 2 : 1),
    0,
  );
  const step = progress('decryptions', parts * ceremony.threshold);
  const decrypted = checkDecryptions(bundle, manifest, ceremony, sums, findings, step);
  if (decrypted && answers.length === vote.questions.length)
    checkFigures(vote, sums, decrypted, answers, findings);
}
