import { hash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { checker, type Scrutin } from '@mandat/ballot/check';
import { ballotOf, libsodium, Sums } from '@mandat/ballot/guardians';
import type { Batch, BatchFault, Checked } from './batch.js';

/** Checks batches of ballots and sums them up, in a thread. On null it sends its sums. */
const scrutin = workerData as Scrutin;
const group = await libsodium();
const rules = checker(group, scrutin);
const sums = new Sums(
  group,
  scrutin.questions.map(({ Options }) => Options.length),
);

function checked({ number, firstLine, lines }: Batch): Checked {
  const receipts: Buffer[] = [];
  const voters: string[] = [];
  const found = (at: number, rule: BatchFault['rule'], failed = ''): Checked => ({
    ...{ number, firstReceipt: new Uint8Array(), lastReceipt: new Uint8Array(), voters: [] },
    fault: { line: firstLine + at, rule, check: failed },
  });
  for (const [at, line] of lines.entries()) {
    const ballot = ballotOf(line);
    if (!ballot) return found(at, 'ballotLine');
    const receipt = hash('sha256', ballot.bytes, 'buffer');
    if (at > 0 && Buffer.compare(receipts[at - 1]!, receipt) >= 0) return found(at, 'ballotOrder');
    const failure = rules.check(ballot.voter, ballot.bytes);
    if (failure) return found(at, 'ballotProof', failure.check);
    if (!sums.add(ballot)) return found(at, 'ballotProof', 'point');
    receipts.push(receipt);
    voters.push(Buffer.from(ballot.voter).toString('base64url'));
  }
  return { number, firstReceipt: receipts[0]!, lastReceipt: receipts.at(-1)!, voters };
}

parentPort!.on('message', (batch: Batch | null) => {
  if (batch) parentPort!.postMessage(checked(batch));
  else {
    parentPort!.postMessage([...sums.parts()]);
    parentPort!.close();
  }
});
