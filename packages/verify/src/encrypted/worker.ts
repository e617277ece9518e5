import { parentPort, workerData } from 'node:worker_threads';
import { decoded, sha256 } from '../bytes.js';
import { Malformed } from '../findings.js';
import { parsedCanonical } from '../json.js';
import { count, record, text, weight } from '../shapes.js';
import { assertProven, readBallot } from './ballot.js';
import { base64url, bytes } from './files.js';
import { IDENTITY, plus, type Point } from './group.js';
import { type Election } from './structure.js';

/** A thread that checks ballots and adds their ciphertexts. It answers a chunk of lines with `Checked`, and null with `Added`. */

export interface Chunk {
  readonly firstLine: number;
  readonly lines: readonly Uint8Array[];
}

export interface Checked {
  readonly faults: readonly { line: number; figure: string; expected: string; found: string }[];
  readonly ballots: readonly Ballot[];
  /** Length of the lines. */
  readonly bytes: number;
}

/** A line whose form is right. */
export interface Ballot {
  readonly line: number;
  /** The unit is one ten-thousandth. */
  readonly weight: bigint;
  readonly class: number;
  /** V, in base64url. */
  readonly voter: string;
  readonly receipt: Uint8Array;
}

/** The sums of the ciphertexts `α, β` of all slots, by class and weight. */
export type Added = readonly { class: number; weight: bigint; sums: Point[] }[];

const lineShape = record({ bulletin: text, classe: count, poids: weight, votant: bytes(32) });
const election = workerData as Election;
const added = new Map<string, { class: number; weight: bigint; sums: Point[] }>();

function check(line: number, content: Uint8Array, ballots: Ballot[]): void {
  const { bulletin, classe, poids, votant } = lineShape(parsedCanonical(content), '');
  if (poids === 0n) throw new Malformed('poids', 'above 0', '0');
  const ballot = decoded(bulletin, 'base64url');
  if (!ballot) throw new Malformed('bulletin', 'base64url', bulletin.slice(0, 60));
  const sealed = readBallot(ballot, election.questions);
  ballots.push({ line, weight: poids, class: classe, voter: base64url(votant), receipt: sha256(ballot) });
  const key = `${classe} ${poids}`;
  const points = sealed.slots.flatMap((slots) => slots.flatMap(({ alpha, beta }) => [alpha, beta]));
  const before = added.get(key)?.sums ?? points.map(() => IDENTITY);
  const sums = points.map((point, index) => plus(before[index]!, point));
  added.set(key, { class: classe, weight: poids, sums });
  assertProven(sealed, votant, election);
}

function checkAll({ firstLine, lines }: Chunk): Checked {
  const faults: Checked['faults'][number][] = [];
  const ballots: Ballot[] = [];
  for (const [index, content] of lines.entries())
    try {
      check(firstLine + index, content, ballots);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      const { figure, expected, found } = error;
      faults.push({ line: firstLine + index, figure, expected, found });
    }
  return { faults, ballots, bytes: lines.reduce((sum, { length }) => sum + length + 1, 0) };
}

parentPort!.on('message', (chunk: Chunk | null) => {
  parentPort!.postMessage(chunk === null ? [...added.values()] : checkAll(chunk));
});
