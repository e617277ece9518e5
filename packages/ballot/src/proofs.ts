import { concat } from './bytes.js';
import { type Group, modulo } from './group.js';

/** A number that is encrypted as (rB, number·B + rY). */
export interface Ciphertext<P> {
  readonly alpha: P;
  readonly beta: P;
}

/**
 * The claims of a proof, of which one holds: a list of branches. Each branch says of each of its ciphertexts that it encrypts 0, so a claim
 * that (α, β) encrypts n has (α, β − nB).
 */
export type Branches<P> = readonly (readonly Ciphertext<P>[])[];

/** The proof's scalars of one branch: its part of the challenge, and a response for each ciphertext. */
export interface Answer {
  readonly challenge: bigint;
  readonly responses: readonly bigint[];
}

/** The claim that a slot is 0 or 1. */
export function optionBranches<P>(group: Group<P>, slot: Ciphertext<P>): Branches<P> {
  return [[slot], [minus(group, slot, 1)]];
}

/** The claim that slot 0 and the sum of the other slots of a question are one of some pairs. */
export function numberBranches<P>(
  group: Group<P>,
  slots: readonly Ciphertext<P>[],
  pairs: readonly (readonly [number, number])[],
): Branches<P> {
  const [abstention, ...options] = slots;
  const sum = options.reduce((one, other) => ({
    alpha: group.add(one.alpha, other.alpha),
    beta: group.add(one.beta, other.beta),
  }));
  return pairs.map(([a, c]) => [minus(group, abstention!, a), minus(group, sum, c)]);
}

function minus<P>(group: Group<P>, { alpha, beta }: Ciphertext<P>, n: number): Ciphertext<P> {
  return {
    alpha,
    beta: n === 0 ? beta : group.subtract(beta, n === 1 ? group.base : group.multiplyBase(BigInt(n))),
  };
}

/** Returns the bytes of the prover's commitments, computed from the answers: zB − eα and zY − eβ of each ciphertext. */
export function commitments<P>(
  group: Group<P>,
  key: P,
  branches: Branches<P>,
  answers: readonly Answer[],
): Uint8Array {
  return concat(
    ...branches.flatMap((branch, b) =>
      branch.flatMap(({ alpha, beta }, at) => {
        const { challenge, responses } = answers[b]!;
        const z = responses[at]!;
        return [
          group.subtract(group.multiplyBase(z), group.multiply(challenge, alpha)),
          group.subtract(group.multiply(z, key), group.multiply(challenge, beta)),
        ].map((point) => group.encode(point));
      }),
    ),
  );
}

/** Returns true if the parts of the challenge sum up to it. */
export function holds(challenge: bigint, answers: readonly Answer[]): boolean {
  return modulo(answers.reduce((rest, answer) => rest - answer.challenge, challenge)) === 0n;
}

/** A ciphertext of a claim that it encrypts 0, as its maker knows it: (rB, number·B + rY). The claim holds if the number is 0. */
export interface Opening {
  readonly r: bigint;
  readonly number: number;
}

/**
 * Proves that one of the branches holds, and hides which one.
 * @param held the place of the branch that holds
 * @param challengeOf the challenge that follows from commitments
 */
export function prove<P>(
  group: Group<P>,
  key: P,
  branches: readonly (readonly Opening[])[],
  held: number,
  random: () => bigint,
  challengeOf: (commitments: Uint8Array) => bigint,
): Answer[] {
  const drawn = branches.map((branch) => ({ challenge: random(), responses: branch.map(random) }));
  const committed = branches.flatMap((branch, b) =>
    branch.flatMap(({ r, number }, at) => {
      // zB − eα = (z − er)B and zY − eβ = (z − er)Y − e·number·B: multiples of two points only, which have tables.
      const { challenge, responses } = drawn[b]!;
      const w = modulo(responses[at]! - challenge * r);
      const error = group.multiplyBase(modulo(challenge * BigInt(number)));
      return [group.multiplyBase(w), group.subtract(group.multiply(w, key), error)];
    }),
  );
  const challenge = challengeOf(concat(...committed.map((point) => group.encode(point))));
  // The branch that holds takes the rest of the challenge: e′ = e + rest, and z′ = w + e′r.
  const rest = modulo(drawn.reduce((sum, answer) => sum - answer.challenge, challenge));
  return drawn.map((answer, b) =>
    b === held
      ? {
          challenge: modulo(answer.challenge + rest),
          responses: answer.responses.map((z, at) => modulo(z + rest * branches[b]![at]!.r)),
        }
      : answer,
  );
}
