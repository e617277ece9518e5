import { decodeScalar, type Group } from './group.js';
import { type Ballot, type Place, readBallot, VERSION } from './layout.js';
import { commitments, holds, numberBranches, optionBranches } from './proofs.js';
import { ballotLength, numberBranchesOf, type Scrutin, voterDigest } from './structure.js';
import { type Transcript, transcriptOf } from './transcript.js';
import { type Vote, voteOf } from './vote.js';

export type CheckName = 'length' | 'version' | 'point' | 'identity' | 'scalar' | 'option' | 'number';

/** A ballot under examination. */
export interface Examined<P> {
  readonly vote: Vote<P>;
  readonly bytes: Uint8Array;
  readonly ballot: Ballot<P>;
  readonly transcript: Transcript;
}

/** The checks of a ballot in their order. Each one returns the place of the first fault, or undefined. Later ones rely on earlier ones. */
export const CHECKS: Readonly<Record<CheckName, <P>(examined: Examined<P>) => Place | undefined>> = {
  length: ({ vote, bytes }) => (bytes.length === ballotLength(vote.limits) ? undefined : {}),

  version: ({ bytes }) => (bytes[0] === VERSION ? undefined : {}),

  /** Each point is one, in the canonical encoding. */
  point: ({ ballot }) => ballot.points.find(({ point }) => point === undefined),

  identity: ({ ballot }) => ballot.points.find(({ bytes }) => bytes.every((byte) => byte === 0)),

  /** Each scalar is below the order. */
  scalar: ({ ballot }) => ballot.scalars.find(({ bytes }) => decodeScalar(bytes) === undefined),

  /** Each option is 0 or 1. */
  option: ({ vote: { group, key }, ballot, transcript }) =>
    first(ballot.proofs, ({ options }, question) =>
      first(options, (answers, option) => {
        const branches = optionBranches(group, ballot.slots[question]![option + 1]!);
        const bytes = commitments(group, key, branches, answers);
        return holds(transcript.option(question, option + 1, bytes), answers)
          ? undefined
          : { question, option };
      }),
    ),

  /** The number of options of each question is allowed. */
  number: ({ vote: { group, key, limits }, ballot, transcript }) =>
    first(ballot.proofs, ({ number }, question) => {
      const pairs = numberBranchesOf(limits[question]!);
      const branches = numberBranches(group, ballot.slots[question]!, pairs);
      const bytes = commitments(group, key, branches, number);
      return holds(transcript.number(question, bytes), number) ? undefined : { question };
    }),
};

/** A check that failed, and where. */
export interface Failure extends Place {
  readonly check: CheckName;
}

export interface Checker {
  /**
   * Returns undefined for a ballot that counts, otherwise the first check that fails.
   * @param voter `VotantId`, or V
   */
  check(voter: string | Uint8Array, ballot: Uint8Array): Failure | undefined;
}

/** @param names the checks to make, in their order @param transcript the challenges to expect */
export function checkerOf<P>(
  group: Group<P>,
  scrutin: Scrutin,
  names: readonly CheckName[],
  transcript: typeof transcriptOf,
): Checker {
  const vote = voteOf(group, scrutin);
  return {
    check(voter, bytes) {
      const ballot = readBallot(vote, bytes);
      const examined = {
        vote,
        bytes,
        ballot,
        transcript: transcript({
          ceremony: vote.ceremony,
          structure: vote.structure,
          voter: typeof voter === 'string' ? voterDigest(vote.campagneId, voter) : voter,
          ciphertexts: ballot.ciphertexts,
        }),
      };
      return first(names, (check) => {
        const place = CHECKS[check](examined);
        return place && { check, ...placeOf(place) };
      });
    },
  };
}

/** Prepares the check of many ballots of a vote. @throws TypeError if the vote has no right key, or allows no ballot */
export function checker<P>(group: Group<P>, scrutin: Scrutin): Checker {
  return checkerOf(group, scrutin, Object.keys(CHECKS) as CheckName[], transcriptOf);
}

function placeOf({ question, option }: Place): Place {
  return {
    ...(question === undefined ? {} : { question }),
    ...(option === undefined ? {} : { option }),
  };
}

/** Returns the first result that is not undefined. */
function first<T, R>(items: readonly T[], of: (item: T, at: number) => R | undefined): R | undefined {
  for (const [at, item] of items.entries()) {
    const result = of(item, at);
    if (result !== undefined) return result;
  }
  return undefined;
}
