import { BALLOTS, type Bundle, RECEIPTS, type Vote, VOTE } from '../bundle.js';
import { type Findings } from '../findings.js';
import { type HeldReceipt } from '../log.js';
import { DIGEST } from '../merkle.js';
import { weightText } from '../results.js';
import { type Marked } from '../roll.js';
import { base64url, LONGEST_LINE } from './files.js';
import { voterOf, type Election } from './structure.js';
import { checkInThreads } from './threads.js';
import { type Added, type Ballot, type Checked } from './worker.js';

/**
 * Checks every ballot: its proofs, that its receipt is in the log, that ballots and voters are unique, and the classes. Returns
 * the ballots, and the sums of their ciphertexts by class and weight.
 */
export async function checkBallots(
  bundle: Bundle,
  vote: Vote,
  election: Election,
  findings: Findings,
  progress: (bytes: number) => void,
): Promise<{ ballots: Ballot[]; added: Added } | undefined> {
  const entry = findings.attempt(BALLOTS, () => bundle.entry(BALLOTS));
  const log = findings.attempt(RECEIPTS, () => bundle.digests(RECEIPTS));
  if (!entry || !log) return undefined;
  const checked = findings.begin();
  const ballots: Ballot[] = [];
  const faults: Checked['faults'][number][] = [];
  let number = 0;
  function* lines(): Generator<Uint8Array> {
    for (const content of bundle.archive.lines(entry!, LONGEST_LINE)) {
      number++;
      // A line of the archive is a part of a larger buffer, which a message would copy as a whole.
      yield new Uint8Array(content);
    }
  }
  const work = async (): Promise<Added> =>
    checkInThreads(election, lines(), (chunk) => {
      faults.push(...chunk.faults);
      ballots.push(...chunk.ballots);
      progress(chunk.bytes);
    });
  const added = await findings.attemptLater(BALLOTS, work);
  for (const { line, figure, expected, found } of faults.sort(byLine))
    findings.differs(BALLOTS, figure, expected, found, line);
  // A ballot that cannot be read is in no sum: further differences would say nothing more.
  const isWhole = added && ballots.length === number;
  if (isWhole) {
    ballots.sort(byLine);
    checkReceipts(ballots, log, findings);
    checkOnce(ballots, findings);
    checkClasses(ballots, vote, findings);
  }
  checked({
    en: `${BALLOTS}: proofs, receipts in the log and classes of ${number} ballots, and that no voter has two`,
    fr: `${BALLOTS} : preuves, reçus au registre et classes de ${number} bulletins, et qu’aucun électeur n’en a deux`,
  });
  return isWhole ? { ballots, added } : undefined;
}

const byLine = (one: { line: number }, other: { line: number }): number => one.line - other.line;

/** Compares the receipts of the ballots with those of the log, and with the order of the lines. */
function checkReceipts(ballots: readonly Ballot[], log: Buffer, findings: Findings): void {
  const receipts = new Map<string, number>();
  for (let at = 0; at < log.length; at += DIGEST) {
    receipts.set(base64url(log.subarray(at, at + DIGEST)), at / DIGEST);
  }
  for (const [at, { line, receipt }] of ballots.entries()) {
    if (at > 0 && Buffer.compare(ballots[at - 1]!.receipt, receipt) >= 0)
      findings.differs(BALLOTS, 'order of the lines', 'that of the receipts', 'another order', line);
    const text = base64url(receipt);
    if (receipts.has(text)) receipts.delete(text);
    else findings.differs(BALLOTS, 'receipt of the ballot', `in ${RECEIPTS}, for one line`, text, line);
  }
  for (const [text, index] of receipts)
    findings.differs(RECEIPTS, `receipt at index ${index}`, `that of a ballot in ${BALLOTS}`, text);
}

function checkOnce(ballots: readonly Ballot[], findings: Findings): void {
  const lines = new Map<string, number>();
  for (const { line, voter } of ballots) {
    const before = lines.get(voter);
    if (before === undefined) lines.set(voter, line);
    else findings.differs(BALLOTS, 'votant', 'one ballot', `that of line ${before}, too`, line);
  }
}

/** Compares classes and decimals of the vote with the ballots. */
function checkClasses(ballots: readonly Ballot[], { classes, questions }: Vote, findings: Findings): void {
  const found = classes.map(() => ({ ballots: 0, weight: 0n }));
  for (const { line, class: number, weight } of ballots) {
    const one = found[number - 1];
    if (one) {
      one.ballots++;
      one.weight += weight;
    } else findings.differs(BALLOTS, 'classe', `1 to ${classes.length}`, number, line);
  }
  for (const [index, { bulletins, poids }] of classes.entries()) {
    const { ballots: number, weight } = found[index]!;
    findings.same(BALLOTS, `ballots of class ${index + 1}`, bulletins, number);
    findings.same(BALLOTS, `weight of class ${index + 1}`, weightText(poids), weightText(weight));
  }
  const decimals = ballots.map(({ weight }) => (weightText(weight).split('.')[1] ?? '').length);
  const finest = decimals.reduce((most, one) => Math.max(most, one), 0);
  for (const [place, { Decimales }] of questions.entries())
    findings.same(VOTE, `questions[${place}].Decimales`, finest, Decimales);
}

/**
 * Checks that each receipt is that of a ballot of one of the voters, if both are given: a device could show the receipt of another
 * voter's ballot, which is in the log too.
 */
export function checkHeld(
  ballots: readonly Ballot[],
  election: Election,
  voters: readonly string[],
  receipts: readonly HeldReceipt[],
  findings: Findings,
): void {
  if (voters.length === 0) return;
  const own = new Map(voters.map((voter) => [voterOf(election.campaign, voter), voter]));
  const ofReceipt = new Map(ballots.map(({ receipt, voter }) => [base64url(receipt), voter]));
  for (const { name, hash } of receipts) {
    const voter = ofReceipt.get(base64url(hash));
    // A receipt that is not in the log was found before.
    if (voter === undefined) continue;
    const checked = findings.begin();
    const id = own.get(voter);
    if (id === undefined)
      findings.differs(name, 'voter of the ballot with this receipt', [...own.keys()].join(' or '), voter);
    checked({
      en: `${name}: the ballot with this receipt is that of ${id === undefined ? 'the given voter' : `voter ${id}`}`,
      fr: `${name} : le bulletin de ce reçu est celui de ${id === undefined ? 'l’électeur donné' : `l’électeur ${id}`}`,
    });
  }
}

/** Compares the voters of the ballots with those that the roll marks as having voted. */
export function checkVoters(
  ballots: readonly Ballot[],
  election: Election,
  marked: Marked,
  findings: Findings,
): void {
  const checked = findings.begin();
  const rest = new Map<string, Marked['voters'][number]>();
  for (const voter of marked.voters)
    findings.attempt(
      marked.file,
      () => rest.set(voterOf(election.campaign, voter.VotantId), voter),
      voter.line,
    );
  for (const { line, voter, weight } of ballots) {
    const one = rest.get(voter);
    if (!one) {
      findings.differs(
        BALLOTS,
        'votant',
        `a voter whom ${marked.file} marks as having voted, once`,
        voter,
        line,
      );
      continue;
    }
    rest.delete(voter);
    findings.same(BALLOTS, `poids of voter ${one.VotantId}`, weightText(one.Poids), weightText(weight), line);
  }
  for (const [, { VotantId, line }] of rest)
    findings.differs(marked.file, `AVote of ${VotantId}`, `a ballot in ${BALLOTS}`, 'none', line);
  checked({
    en: `${BALLOTS}: each ballot is that of a voter whom ${marked.file} marks as having voted, with this voter’s weight`,
    fr: `${BALLOTS} : chaque bulletin est celui d’un électeur que ${marked.file} marque comme ayant voté, avec son poids`,
  });
}
