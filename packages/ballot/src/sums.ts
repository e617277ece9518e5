import { base64url, utf8 } from './bytes.js';
import { type Group, POINT_BYTES } from './group.js';
import { digestOf } from './hash.js';
import { canonical } from './json.js';
import type { Ciphertext } from './proofs.js';
import { attempt, Malformed, read } from './reading.js';
import { greatestDivisor, weightOf, weightText } from './weights.js';

/** A line of `bulletins.ndjson` (docs/encrypted-vote.md, "The count"). */
export interface BallotLine {
  readonly bulletin: string;
  readonly classe: number;
  readonly poids: string;
  readonly votant: string;
}

export type CiphertextText = readonly [alpha: string, beta: string];

/** A line of `sommes.ndjson`. */
export interface SumsLine {
  readonly bulletins: number;
  readonly classe: number;
  readonly nombres: readonly (readonly CiphertextText[])[];
  readonly poids: readonly (readonly CiphertextText[])[] | null;
  readonly total: string;
  readonly unite: string;
}

/** A ballot of `bulletins.ndjson`. */
export interface CountedBallot {
  readonly bytes: Uint8Array;
  readonly voter: Uint8Array;
  readonly classe: number;
  /** The unit is one ten-thousandth. */
  readonly weight: bigint;
}

/** The sum of the ballots of one class with the same weight: all α and β in their order. */
export interface PartialSum {
  readonly classe: number;
  readonly weight: bigint;
  readonly ballots: number;
  /** Encodings of the points, one after the other. */
  readonly points: Uint8Array;
}

interface WeightSum<P> {
  ballots: number;
  points: P[];
}

const VOTER_BYTES = 32;

export const lineOf = (value: SumsLine | BallotLine): string => `${canonical(value)}\n`;

/** Reads a line of `bulletins.ndjson` without its newline. Returns undefined if it is no such line in canonical JSON. */
export function ballotOf(line: string): CountedBallot | undefined {
  return attempt(() => {
    const object = read.object(jsonOf(line), 'bulletin', 'classe', 'poids', 'votant');
    const weight = weightOf(read.text(object['poids']));
    if (weight === undefined) throw new Malformed('Expected a weight.');
    return {
      bytes: read.bytes(object['bulletin']),
      voter: read.bytes(object['votant'], VOTER_BYTES),
      classe: read.number(object['classe'], 1),
      weight,
    };
  });
}

export const ballotLine = ({ bytes, voter, classe, weight }: CountedBallot): string =>
  lineOf({
    bulletin: base64url(bytes),
    classe,
    poids: weightText(weight),
    votant: base64url(voter),
  });

function jsonOf(line: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Malformed('Expected JSON.');
  }
  if (canonical(value) !== line) throw new Malformed('Expected canonical JSON.');
  return value;
}

/** Sums up the ciphertexts of ballots by class and weight, with one addition for each α and β. */
export class Sums<P> {
  private readonly classes = new Map<number, Map<bigint, WeightSum<P>>>();
  private readonly points: number;

  /** @param options the number of options of each question */
  constructor(
    private readonly group: Group<P>,
    private readonly options: readonly number[],
  ) {
    this.points = options.reduce((sum, count) => sum + 2 * (count + 1), 0);
  }

  /** Adds a ballot, or returns false if it has something else in the place of a point. */
  add({ bytes, classe, weight }: Omit<CountedBallot, 'voter'>): boolean {
    return this.merge({
      classe,
      weight,
      ballots: 1,
      points: bytes.subarray(1, 1 + POINT_BYTES * this.points),
    });
  }

  /** Adds a sum, or returns false if it has something else in the place of a point. */
  merge({ classe, weight, ballots, points }: PartialSum): boolean {
    if (points.length !== POINT_BYTES * this.points) return false;
    const byWeight = this.classes.get(classe) ?? new Map<bigint, WeightSum<P>>();
    const before = byWeight.get(weight);
    const sum: P[] = [];
    for (let at = 0; at < this.points; at++) {
      const bytes = points.slice(POINT_BYTES * at, POINT_BYTES * (at + 1));
      const point = before ? this.group.addEncoded(before.points[at]!, bytes) : this.group.decode(bytes);
      if (point === undefined) return false;
      sum.push(point);
    }
    byWeight.set(weight, { ballots: (before?.ballots ?? 0) + ballots, points: sum });
    this.classes.set(classe, byWeight);
    return true;
  }

  /** The sums so far, for another process or thread. */
  *parts(): Generator<PartialSum> {
    for (const [classe, byWeight] of this.classes)
      for (const [weight, { ballots, points }] of byWeight) {
        const bytes = new Uint8Array(POINT_BYTES * points.length);
        points.forEach((point, at) => bytes.set(this.group.encode(point), POINT_BYTES * at));
        yield { classe, weight, ballots, points: bytes };
      }
  }

  /** The lines of `sommes.ndjson`. */
  *lines(): Generator<SumsLine> {
    for (const [classe, byWeight] of [...this.classes].sort(([one], [other]) => one - other))
      yield this.line(classe, byWeight);
  }

  private line(classe: number, byWeight: ReadonlyMap<bigint, WeightSum<P>>): SumsLine {
    const groups = [...byWeight].map(([weight, sum]) => ({ weight, ...sum }));
    const unit = groups.map(({ weight }) => weight).reduce(greatestDivisor);
    const numbers = groups.map(({ points }) => points).reduce((sum, points) => this.added(sum, points));
    const weights =
      groups.length > 1
        ? groups
            .map(({ weight, points }) => points.map((point) => this.group.multiply(weight / unit, point)))
            .reduce((sum, points) => this.added(sum, points))
        : null;
    return {
      bulletins: groups.reduce((sum, { ballots }) => sum + ballots, 0),
      classe,
      nombres: this.texts(numbers),
      poids: weights && this.texts(weights),
      total: weightText(groups.reduce((sum, { weight, ballots }) => sum + weight * BigInt(ballots), 0n)),
      unite: weightText(unit),
    };
  }

  private added(one: readonly P[], other: readonly P[]): P[] {
    return one.map((point, at) => this.group.add(point, other[at]!));
  }

  /** Returns the points as ciphertexts of each question. */
  private texts(points: readonly P[]): CiphertextText[][] {
    const texts = points.map((point) => base64url(this.group.encode(point)));
    let at = 0;
    return this.options.map((count) =>
      Array.from({ length: count + 1 }, (): CiphertextText => [texts[at++]!, texts[at++]!]),
    );
  }
}

/** Returns D, the digest of the count, from the SHA-256 of `bulletins.ndjson` and of `sommes.ndjson`. */
export const countDigest = (ballots: Uint8Array, sums: Uint8Array): Uint8Array => digestOf(ballots, sums);

/** A class of `sommes.ndjson` with its points. */
export interface ClassSums<P> {
  readonly classe: number;
  readonly ballots: number;
  /** Ciphertexts by question and slot. */
  readonly numbers: readonly (readonly Ciphertext<P>[])[];
  readonly weights: readonly (readonly Ciphertext<P>[])[] | undefined;
  /** The unit is one ten-thousandth. */
  readonly total: bigint;
  readonly unit: bigint;
}

/** The count that guardians decrypt: the classes of `sommes.ndjson` and the digest D. */
export interface Count<P> {
  readonly classes: readonly ClassSums<P>[];
  readonly digest: Uint8Array;
}

/** Reads a line of `sommes.ndjson` without its newline. Returns undefined if it is no such line in canonical JSON. */
export function classOf<P>(
  group: Group<P>,
  options: readonly number[],
  line: string,
): ClassSums<P> | undefined {
  const questions = (value: unknown): Ciphertext<P>[][] =>
    read.list(
      value,
      (slots, q) =>
        read.list(
          slots,
          (pair) => {
            const [alpha, beta] = read.list(pair, (point) => read.point(group, point), 2);
            return { alpha: alpha!, beta: beta! };
          },
          options[q]! + 1,
        ),
      options.length,
    );
  return attempt(() => {
    const names = ['bulletins', 'classe', 'nombres', 'poids', 'total', 'unite'];
    const object = read.object(jsonOf(line), ...names);
    const total = weightOf(read.text(object['total']));
    const unit = weightOf(read.text(object['unite']));
    if (total === undefined || unit === undefined || (unit === 0n && object['poids'] !== null))
      throw new Malformed('Expected weights.');
    return {
      classe: read.number(object['classe'], 1),
      ballots: read.number(object['bulletins'], 1),
      numbers: questions(object['nombres']),
      weights: object['poids'] === null ? undefined : questions(object['poids']),
      ...{ total, unit },
    };
  });
}

/** Returns the count of the text of `sommes.ndjson` and the SHA-256 of `bulletins.ndjson`, or undefined. */
export function countOf<P>(
  group: Group<P>,
  options: readonly number[],
  sums: string,
  ballotsDigest: Uint8Array,
): Count<P> | undefined {
  const lines = sums.split('\n');
  if (lines.pop() !== '') return undefined;
  const classes: ClassSums<P>[] = [];
  for (const line of lines) {
    const one = classOf(group, options, line);
    if (!one || one.classe <= (classes.at(-1)?.classe ?? 0)) return undefined;
    classes.push(one);
  }
  return { classes, digest: countDigest(ballotsDigest, digestOf(utf8(sums))) };
}
