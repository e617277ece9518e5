import { Malformed } from '../findings.js';
import { asProperPoint, asScalar } from './files.js';
import {
  challenge,
  committed,
  committedOn,
  equal,
  hashOf,
  IDENTITY,
  minus,
  plus,
  plusScalars,
  type Point,
  type Scalar,
  scalarOf,
  timesBase,
  u32,
} from './group.js';
import { type Allowed, type Election } from './structure.js';

export interface Ciphertext {
  readonly alpha: Point;
  readonly beta: Point;
}

/** The numbers of options that a question allows, after the abstention. */
const numbersOf = ({ least, most }: Allowed): number[] =>
  Array.from({ length: most - least + 1 }, (_, index) => least + index);

/** A ballot's ciphertexts by question and slot, the bytes X, and the scalars of its proofs by question. */
export interface Sealed {
  readonly slots: readonly (readonly Ciphertext[])[];
  readonly X: Uint8Array;
  readonly proofs: readonly (readonly Scalar[])[];
}

/** @throws Malformed if the bytes are no ballot of this structure */
export function readBallot(ballot: Uint8Array, questions: readonly Allowed[]): Sealed {
  const slotsOf = ({ options }: Allowed): number => options + 1;
  const scalarsOf = (one: Allowed): number => 4 * one.options + 3 * (1 + numbersOf(one).length);
  const sum = (of: (one: Allowed) => number): number => questions.reduce((all, one) => all + of(one), 0);
  const end = 1 + 64 * sum(slotsOf);
  const length = end + 32 * sum(scalarsOf);
  if (ballot.length !== length) throw new Malformed('bulletin', `${length} bytes`, `${ballot.length} bytes`);
  if (ballot[0] !== 1) throw new Malformed('bulletin: first byte', '1', `${ballot[0]}`);
  let at = 1;
  const next = (): Uint8Array => ballot.subarray(at, (at += 32));
  const slots = questions.map((question, place) =>
    Array.from({ length: slotsOf(question) }, (_, slot) => ({
      alpha: asProperPoint(next(), `bulletin: questions[${place}], slot ${slot}: α`),
      beta: asProperPoint(next(), `bulletin: questions[${place}], slot ${slot}: β`),
    })),
  );
  const proofs = questions.map((question, place) =>
    Array.from({ length: scalarsOf(question) }, () =>
      asScalar(next(), `bulletin: questions[${place}]: proofs`),
    ),
  );
  return { slots, X: ballot.subarray(1, end), proofs };
}

const multiples: Point[] = [];
/** cB, for the numbers of options */
const multiple = (c: number): Point => (multiples[c] ??= timesBase(scalarOf(c)));

/** Checks the proofs of a ballot of the voter V. @throws Malformed if one does not hold */
export function assertProven({ slots, X, proofs }: Sealed, voter: Uint8Array, election: Election): void {
  const { ceremony, structure, key: Y } = election;
  const C = hashOf('bulletin', ceremony, structure, voter, X);
  for (const [place, question] of election.questions.entries()) {
    const [abstention, ...options] = slots[place] as [Ciphertext, ...Ciphertext[]];
    const scalars = proofs[place]!;
    for (const [index, { alpha, beta }] of options.entries()) {
      const [e0, e1, z0, z1] = scalars.slice(4 * index, 4 * index + 4) as [Scalar, Scalar, Scalar, Scalar];
      const commitments = [
        committed(z0, e0, alpha),
        committedOn(z0, Y, e0, beta),
        committed(z1, e1, alpha),
        committedOn(z1, Y, e1, minus(beta, multiple(1))),
      ];
      const e = challenge('option', C, u32(place), u32(index + 1), Buffer.concat(commitments));
      if (!equal(plusScalars(e0, e1), e))
        throw notProven(`questions[${place}], slot ${index + 1}: proof that it is 0 or 1`);
    }
    const alphas = options.reduce((sum, { alpha }) => plus(sum, alpha), IDENTITY);
    const betas = options.reduce((sum, { beta }) => plus(sum, beta), IDENTITY);
    const branches = [[1, 0], ...numbersOf(question).map((number) => [0, number])] as [number, number][];
    const commitments: Point[] = [];
    let sum: Scalar = scalarOf(0);
    for (const [index, [a, c]] of branches.entries()) {
      const from = 4 * options.length + 3 * index;
      const [e, z, zPlus] = scalars.slice(from, from + 3) as [Scalar, Scalar, Scalar];
      sum = plusScalars(sum, e);
      commitments.push(
        committed(z, e, abstention.alpha),
        committedOn(z, Y, e, a === 0 ? abstention.beta : minus(abstention.beta, multiple(1))),
        committed(zPlus, e, alphas),
        committedOn(zPlus, Y, e, c === 0 ? betas : minus(betas, multiple(c))),
      );
    }
    if (!equal(sum, challenge('nombre', C, u32(place), Buffer.concat(commitments))))
      throw notProven(`questions[${place}]: proof of the number of options`);
  }
}

const notProven = (figure: string): Malformed =>
  new Malformed(`bulletin: ${figure}`, 'one that holds', 'one that does not hold');
