import { base64url } from './bytes.js';
import { encodeScalar, type Group, modulo } from './group.js';
import { digestOf } from './hash.js';
import { type QuestionProofs, writeBallot, writeCiphertexts } from './layout.js';
import { type Ciphertext, type Opening, prove } from './proofs.js';
import { type Limits, numberBranchesOf, type Scrutin, voterDigest } from './structure.js';
import { type Transcript, transcriptOf } from './transcript.js';
import { type Vote, voteOf } from './vote.js';

/** The places of the chosen options of each question, from 0. An empty list is an abstention. */
export type Choix = readonly (readonly number[])[];

/** The body of `POST …/bulletins`. */
export interface CastBallot {
  readonly VotantId: string;
  readonly BulletinChiffre: string;
}

/** A ballot that was opened instead of being cast. */
export interface OpenedBallot {
  readonly scrutin: Scrutin;
  readonly VotantId: string;
  readonly bulletin: string;
  readonly choix: Choix;
  /** The r of each slot. */
  readonly aleas: readonly string[];
}

/** A choice that the vote does not allow. The message does not contain it. */
export class ChoiceError extends Error {
  override readonly name = 'ChoiceError';

  constructor(
    message: string,
    /** Place of the question, from 0. */
    readonly question?: number,
  ) {
    super(message);
  }
}

/** A sealed ballot, which is either cast or opened. */
export class SealedBallot {
  /** Receipt of the ballot. Show it before the voter decides between casting and auditing. */
  readonly recu: string;
  #decision?: 'cast' | 'audited';
  readonly #opened: OpenedBallot;

  constructor(opened: OpenedBallot, recu: string) {
    this.#opened = opened;
    this.recu = recu;
  }

  /** Returns the ballot to be sent, also again after a failed request. @throws Error after `audit()` */
  cast(): CastBallot {
    this.#decide('cast');
    return { VotantId: this.#opened.VotantId, BulletinChiffre: this.#opened.bulletin };
  }

  /** Returns the opened ballot, with its choices, for a second device. @throws Error after `cast()` */
  audit(): OpenedBallot {
    this.#decide('audited');
    return this.#opened;
  }

  #decide(decision: 'cast' | 'audited'): void {
    this.#decision ??= decision;
    if (this.#decision !== decision)
      throw new Error(`This ballot was ${this.#decision}. Seal the choices again.`);
  }
}

/** The bits of the slots of each question. @throws ChoiceError for choices that are not allowed */
export function slotBits(limits: readonly Limits[], choix: Choix): number[][] {
  if (choix.length !== limits.length) throw new ChoiceError(`There are ${limits.length} questions.`);
  return limits.map(({ options, least, most }, question) => {
    const chosen = new Set(choix[question]);
    const places = Array.from({ length: options }, (_, place) => place);
    const bits = places.map((place) => Number(chosen.has(place)));
    const count = bits.reduce((sum, bit) => sum + bit, 0);
    if (count !== choix[question]!.length)
      throw new ChoiceError(`Question ${question} has options 0 to ${options - 1}, each once.`, question);
    if (count !== 0 && (count < least || count > most))
      throw new ChoiceError(`Question ${question} allows ${least} to ${most} options, or none.`, question);
    return [Number(count === 0), ...bits];
  });
}

export function encrypt<P>({ group, key }: Vote<P>, { number, r }: Opening): Ciphertext<P> {
  const beta = group.add(group.multiplyBase(modulo(BigInt(number))), group.multiply(r, key));
  return { alpha: group.multiplyBase(r), beta };
}

function proveQuestion<P>(
  { group, key }: Vote<P>,
  random: () => bigint,
  transcript: Transcript,
  limits: Limits,
  question: number,
  [abstention, ...options]: readonly Opening[],
): QuestionProofs {
  const sum = options.reduce((one, other) => ({ number: one.number + other.number, r: one.r + other.r }));
  const pairs = numberBranchesOf(limits);
  return {
    options: options.map((option, place) =>
      prove(
        group,
        key,
        [0, 1].map((bit) => [claim(option, bit)]),
        option.number,
        random,
        (commitments) => transcript.option(question, place + 1, commitments),
      ),
    ),
    number: prove(
      group,
      key,
      pairs.map(([a, c]) => [claim(abstention!, a), claim(sum, c)]),
      pairs.findIndex(([a, c]) => a === abstention!.number && c === sum.number),
      random,
      (commitments) => transcript.number(question, commitments),
    ),
  };
}

/** The claim that a ciphertext encrypts n. */
function claim({ r, number }: Opening, n: number): Opening {
  return { r, number: number - n };
}

/** @throws ChoiceError for choices that are not allowed @throws TypeError if the vote allows no ballot */
export function sealWith<P>(
  group: Group<P>,
  random: () => bigint,
  scrutin: Scrutin,
  VotantId: string,
  choix: Choix,
): SealedBallot {
  const vote = voteOf(group, scrutin);
  const openings = slotBits(vote.limits, choix).map((bits) =>
    bits.map((number): Opening => ({ number, r: random() })),
  );
  const slots = openings.map((ofQuestion) => ofQuestion.map((opening) => encrypt(vote, opening)));
  const ciphertexts = writeCiphertexts(group, slots);
  const transcript = transcriptOf({
    ceremony: vote.ceremony,
    structure: vote.structure,
    voter: voterDigest(vote.campagneId, VotantId),
    ciphertexts,
  });
  const proofs = vote.limits.map((limits, q) =>
    proveQuestion(vote, random, transcript, limits, q, openings[q]!),
  );
  const bytes = writeBallot(ciphertexts, proofs);
  return new SealedBallot(
    {
      scrutin: structuredClone(scrutin),
      VotantId,
      bulletin: base64url(bytes),
      choix: structuredClone(choix),
      aleas: openings.flat().map(({ r }) => base64url(encodeScalar(r))),
    },
    base64url(digestOf(bytes)),
  );
}
