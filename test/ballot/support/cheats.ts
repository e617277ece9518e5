import { SEED } from '../../setup/depth';
import {
  type Answer,
  type CheckName,
  encrypt,
  encodeScalar,
  type Failure,
  type Group,
  littleEndian,
  modulo,
  noble,
  numberBranchesOf,
  type Opening,
  ORDER,
  type Point,
  prove,
  type Question,
  type QuestionProofs,
  readBallot,
  type Scrutin,
  transcriptOf,
  voteOf,
  voterDigest,
  writeBallot,
  writeCiphertexts,
} from './package';
import { base64url, seeded, testVote, uuid, withMember } from './votes';

/** Values that a challenge is bound to. */
export const BOUND = [
  'ceremony',
  'structure',
  'voter',
  'ciphertexts',
  'question',
  'slot',
  'commitments',
] as const;
export type Bound = (typeof BOUND)[number];

/** The challenges of a weaker protocol, which are not bound to some things. */
export function transcriptWithout(...unbound: readonly Bound[]): typeof transcriptOf {
  const none = new Uint8Array();
  const is = (bound: Bound): boolean => !unbound.includes(bound);
  return (binding) => {
    const { option, number } = transcriptOf({
      ceremony: is('ceremony') ? binding.ceremony : none,
      structure: is('structure') ? binding.structure : none,
      voter: is('voter') ? binding.voter : none,
      ciphertexts: is('ciphertexts') ? binding.ciphertexts : none,
    });
    return {
      option: (question, slot, commitments) =>
        option(is('question') ? question : 0, is('slot') ? slot : 0, is('commitments') ? commitments : none),
      number: (question, commitments) =>
        number(is('question') ? question : 0, is('commitments') ? commitments : none),
    };
  };
}

/** A group that accepts other encodings of points: with the highest bit, and of −s. */
export const lenient: Group<Point> = {
  ...noble,
  decode(bytes) {
    const p = 2n ** 255n - 19n;
    const s = (littleEndian(bytes) % 2n ** 255n) % p;
    return noble.decode(encodeScalar(s % 2n === 0n ? s : p - s));
  },
};

/** The vote of most cheats: two questions with the same limits. */
export const VOTE = testVote('cheats', [
  [3, 1, 2],
  [3, 1, 2],
]);
/** A vote that asks for two options at least. */
export const TWO_AT_LEAST = testVote('two at least', [[3, 2, 3]]);

export const VOTER = uuid('voter');
const OTHER_VOTER = uuid('other voter');

const random = seeded(`cheats ${SEED}`);

/** Encrypted numbers with their randomness. */
const open = (...numbers: readonly (readonly number[])[]): Opening[][] =>
  numbers.map((ofQuestion) => ofQuestion.map((number) => ({ number, r: random() })));

/** An allowed answer to the second question. */
const FAIR = [0, 1, 0, 0];

interface Forgery {
  readonly scrutin?: Scrutin;
  readonly voter?: string;
  readonly openings: readonly (readonly Opening[])[];
  readonly transcript: typeof transcriptOf;
  /** Changes X before anything is proved. */
  readonly alter?: (ciphertexts: Uint8Array) => void;
}

/**
 * Makes a ballot of any numbers. The prover proves what is true, and what is not true as well as one can: its ciphertexts and the other
 * branches are right.
 */
function forge({ scrutin = VOTE.scrutin, voter = VOTER, openings, transcript, alter }: Forgery): {
  bytes: Uint8Array;
  ciphertexts: Uint8Array;
  proofs: QuestionProofs[];
} {
  const vote = voteOf(noble, scrutin);
  const ciphertexts = writeCiphertexts(
    noble,
    openings.map((ofQuestion) => ofQuestion.map((opening) => encrypt(vote, opening))),
  );
  alter?.(ciphertexts);
  const challenges = transcript({ ...vote, voter: voterDigest(vote.campagneId, voter), ciphertexts });
  const claim = ({ r, number }: Opening, n: number): Opening => ({ r, number: number - n });
  const proofs = vote.limits.map((limits, q) => {
    const [abstention, ...options] = openings[q]!;
    const sum = options.reduce((one, other) => ({ number: one.number + other.number, r: one.r + other.r }));
    const pairs = numberBranchesOf(limits);
    const held = pairs.findIndex(([a, c]) => a === abstention!.number && c === sum.number);
    return {
      options: options.map((option, place) =>
        prove(
          noble,
          vote.key,
          [[option], [claim(option, 1)]],
          option.number === 1 ? 1 : 0,
          random,
          (commitments) => challenges.option(q, place + 1, commitments),
        ),
      ),
      number: prove(
        noble,
        vote.key,
        pairs.map(([a, c]) => [claim(abstention!, a), claim(sum, c)]),
        Math.max(0, held),
        random,
        (commitments) => challenges.number(q, commitments),
      ),
    };
  });
  return { bytes: writeBallot(ciphertexts, proofs), ciphertexts, proofs };
}

/** Changes parts of a ballot in place: its points, and its scalars in their order. */
function changed(
  bytes: Uint8Array,
  change: (ballot: ReturnType<typeof readBallot<Point>>) => void,
): Uint8Array {
  change(readBallot(voteOf(noble, VOTE.scrutin), bytes));
  return bytes;
}

const scalarAt = (bytes: Uint8Array): bigint => littleEndian(bytes);

/** The scalars of the first option (e₀, e₁, z₀, z₁), and those of the first question's number. */
const NUMBER_OF_FIRST = 4 * 3;

function swap(one: Uint8Array, other: Uint8Array): void {
  const copy = Uint8Array.from(one);
  one.set(other);
  other.set(copy);
}

export interface Cheat {
  readonly name: string;
  /** The vote in which the ballot is cast; `VOTE` unless given. */
  readonly scrutin?: Scrutin;
  /** The voter of the ballot; `VOTER` unless given. */
  readonly voter?: string;
  make(transcript: typeof transcriptOf): Uint8Array;
  readonly refused: Failure;
  /** The weaker checks that accept the ballot, none of which can be spared: checks left out, things unbound, or a lenient group. */
  readonly accepted: {
    readonly without?: readonly CheckName[];
    readonly unbound?: readonly Bound[];
    readonly lenient?: true;
  };
}

const OPTION: Failure = { check: 'option', question: 0, option: 0 };
const NUMBER: Failure = { check: 'number', question: 0 };

/** A ballot whose first question has these numbers. */
const ofNumbers = (
  name: string,
  numbers: readonly number[],
  refused: Failure,
  scrutin = VOTE.scrutin,
): Cheat => ({
  name,
  scrutin,
  make: (transcript) =>
    forge({ scrutin, transcript, openings: open(numbers, FAIR).slice(0, scrutin.questions.length) }).bytes,
  refused,
  accepted: { without: [refused.check] },
});

/** An honest ballot of another vote. */
const ofVote = (name: string, member: Partial<Scrutin>, accepted: Cheat['accepted']): Cheat => ({
  name,
  make: (transcript) =>
    forge({ scrutin: withMember(VOTE.scrutin, member), transcript, openings: open(FAIR, FAIR) }).bytes,
  refused: OPTION,
  accepted,
});

/** A ballot of these openings for the first question. */
const ofOpenings = (name: string, opening: Opening): Cheat => ({
  name,
  make: (transcript) => {
    const [first, second] = open([0, 1 - opening.number, 0, 0], FAIR);
    first![2] = opening;
    return forge({ transcript, openings: [first!, second!] }).bytes;
  },
  refused: { check: 'identity', question: 0, option: 1 },
  accepted: { without: ['identity'] },
});

/** An honest ballot that is changed afterwards. */
const ofChange = (
  name: string,
  change: Parameters<typeof changed>[1],
  refused: Failure,
  accepted: Cheat['accepted'] = { without: [refused.check] },
): Cheat => ({
  name,
  make: (transcript) => changed(forge({ transcript, openings: open(FAIR, FAIR) }).bytes, change),
  refused,
  accepted,
});

/** An honest ballot with another encoding of the point α of the first option. */
const ofEncoding = (name: string, encode: (bytes: Uint8Array) => Uint8Array): Cheat => ({
  name,
  make: (transcript) =>
    forge({
      transcript,
      openings: open(FAIR, FAIR),
      alter: (ciphertexts) => {
        const alpha = ciphertexts.subarray(64, 96);
        alpha.set(encode(alpha));
      },
    }).bytes,
  refused: { check: 'point', question: 0, option: 0 },
  accepted: { lenient: true },
});

/** Adds a number to a scalar, without reducing it. */
const addTo = (bytes: Uint8Array, n: bigint): void => bytes.set(encodeScalar(scalarAt(bytes) + n));
/** Adds a number to a scalar. */
const shift = (bytes: Uint8Array, n: bigint): void => bytes.set(encodeScalar(modulo(scalarAt(bytes) + n)));

function inverse(n: bigint): bigint {
  let result = 1n;
  for (let power = modulo(n), rest = ORDER - 2n; rest > 0n; rest >>= 1n, power = modulo(power * power))
    if (rest & 1n) result = modulo(result * power);
  return result;
}

/** Adds t to the randomness of the first option of the first question, and keeps all proofs right if challenges stay. */
function rerandomise(bytes: Uint8Array): Uint8Array {
  const t = random();
  const { key } = voteOf(noble, VOTE.scrutin);
  return changed(bytes, ({ points, scalars }) => {
    for (const [at, addend] of [
      [2, noble.multiplyBase(t)],
      [3, noble.multiply(t, key)],
    ] as const)
      points[at]!.bytes.set(noble.encode(noble.add(points[at]!.point!, addend)));
    for (const branch of [0, 1]) shift(scalars[2 + branch]!.bytes, scalarAt(scalars[branch]!.bytes) * t);
    for (const branch of [0, 1, 2]) {
      const [e, , z] = scalars.slice(NUMBER_OF_FIRST + 3 * branch);
      shift(z!.bytes, scalarAt(e!.bytes) * t);
    }
  });
}

/** Commits first, learns the challenge, and then chooses a ciphertext of an enormous number that fits (weak Fiat–Shamir). */
function ciphertextAfterChallenge(transcript: typeof transcriptOf): Uint8Array {
  const vote = voteOf(noble, VOTE.scrutin);
  const [first, second] = open([0, 0, 1, 0], FAIR);
  const challengesOf = (): ReturnType<typeof transcriptOf> =>
    transcript({
      ...vote,
      voter: voterDigest(vote.campagneId, VOTER),
      ciphertexts: forge({ transcript, openings: [first!, second!] }).ciphertexts,
    });
  // Branch 0 has the challenge 0. A₁ = u₁B and A′₁ = u₁Y + pB fit a ciphertext of 1 − p ÷ e₁.
  const [u0, u1, p] = [random(), random(), random()];
  const commitments = [
    noble.multiplyBase(u0),
    noble.multiply(u0, vote.key),
    noble.multiplyBase(u1),
    noble.add(noble.multiply(u1, vote.key), noble.multiplyBase(p)),
  ].map((point) => noble.encode(point));
  const e = challengesOf().option(0, 1, Buffer.concat(commitments));
  const number = modulo(1n - p * inverse(e));
  const { r } = first![1]!;
  const { bytes } = forge({ transcript, openings: [first!, second!] });
  return changed(bytes, ({ points, scalars }) => {
    const beta = noble.add(noble.multiplyBase(number), noble.multiply(r, vote.key));
    points[3]!.bytes.set(noble.encode(beta));
    for (const [at, scalar] of [0n, e, u0, modulo(u1 + e * r)].entries())
      scalars[at]!.bytes.set(encodeScalar(scalar));
  });
}

/** Answers whose commitments are computed from them, after a challenge that does not depend on them. */
function simulated(challenge: bigint, branches: number, responses: number): Answer[] {
  const drawn = Array.from({ length: branches }, () => ({
    challenge: random(),
    responses: Array.from({ length: responses }, random),
  }));
  const rest = drawn.slice(1).reduce((sum, answer) => sum - answer.challenge, challenge);
  drawn[0]!.challenge = modulo(rest);
  return drawn;
}

function commitmentAfterChallenge(transcript: typeof transcriptOf): Uint8Array {
  const vote = voteOf(noble, VOTE.scrutin);
  const { ciphertexts, proofs } = forge({ transcript, openings: open([0, 1000, 0, 0], FAIR) });
  const challenges = transcript({ ...vote, voter: voterDigest(vote.campagneId, VOTER), ciphertexts });
  const none = new Uint8Array();
  const [first, second] = proofs;
  const options = [simulated(challenges.option(0, 1, none), 2, 1), ...first!.options.slice(1)];
  const number = simulated(challenges.number(0, none), 3, 2);
  return writeBallot(ciphertexts, [{ options, number }, second!]);
}

/** Two slots with one ciphertext and one proof. */
function reusedProof(transcript: typeof transcriptOf): Uint8Array {
  const [first, second] = open([0, 1, 1, 0], FAIR);
  first![2] = first![1]!;
  const { ciphertexts, proofs } = forge({ transcript, openings: [first!, second!] });
  const [once, , last] = proofs[0]!.options;
  return writeBallot(ciphertexts, [{ ...proofs[0]!, options: [once!, once!, last!] }, proofs[1]!]);
}

/** Two questions with the same ciphertexts and one proof of their number. */
function reusedNumber(transcript: typeof transcriptOf): Uint8Array {
  const [first] = open(FAIR);
  const { ciphertexts, proofs } = forge({ transcript, openings: [first!, first!] });
  return writeBallot(ciphertexts, [proofs[0]!, { ...proofs[1]!, number: proofs[0]!.number }]);
}

/** Returns a ballot without its last byte, a 0 that a reader which pads with zeros would add. */
function truncated(transcript: typeof transcriptOf): Uint8Array {
  for (;;) {
    const { bytes } = forge({ transcript, openings: open(FAIR, FAIR) });
    if (bytes.at(-1) === 0) return bytes.subarray(0, -1);
  }
}

const otherQuestions = (change: (question: Question) => Partial<Question>): Question[] =>
  VOTE.scrutin.questions.map((question) => ({ ...question, ...change(question) }));

export const CHEATS: readonly Cheat[] = [
  ofNumbers('2 for one option', [0, 2, 0, 0], OPTION),
  ofNumbers('−1 for one option, and 1 for two', [0, -1, 1, 1], OPTION),
  ofNumbers('1000 for one option, and −999 for another', [0, 1000, -999, 0], OPTION),
  ofNumbers('too many options', [0, 1, 1, 1], NUMBER),
  ofNumbers('too few options', [0, 1, 0, 0], NUMBER, TWO_AT_LEAST.scrutin),
  ofNumbers('abstention and an option', [1, 1, 0, 0], NUMBER),
  ofNumbers('neither abstention nor option', [0, 0, 0, 0], NUMBER),
  ofNumbers('two abstentions', [2, 0, 0, 0], NUMBER),
  ofNumbers('abstention of −1, and two options', [-1, 1, 1, 0], NUMBER),

  {
    name: 'a ballot copied for another voter',
    voter: OTHER_VOTER,
    make: (transcript) => forge({ transcript, openings: open(FAIR, FAIR) }).bytes,
    refused: OPTION,
    accepted: { unbound: ['voter'] },
  },
  ofVote('a ballot of another campaign', { campagneId: uuid('other') }, { unbound: ['structure', 'voter'] }),
  ofVote(
    'a ballot of other options',
    { questions: otherQuestions(({ Options }) => ({ Options: Options.toReversed() })) },
    { unbound: ['structure'] },
  ),
  ofVote(
    'a ballot of exchanged labels',
    { questions: otherQuestions(({ Libelles }) => ({ Libelles: Libelles.toReversed() })) },
    { unbound: ['structure'] },
  ),
  ofVote(
    'a ballot of another title',
    { questions: otherQuestions(({ Titre }) => ({ Titre: `${Titre} ?` })) },
    { unbound: ['structure'] },
  ),
  ofVote('a ballot of a lower threshold', { seuilAnonymat: 4 }, { unbound: ['structure'] }),
  ofVote(
    'a ballot of another ceremony',
    { ceremonie: base64url(encodeScalar(1n)) },
    { unbound: ['ceremony'] },
  ),
  ofVote('a ballot for another key', { cle: TWO_AT_LEAST.scrutin.cle }, { without: ['option', 'number'] }),

  ofOpenings('identity as α', { number: 1, r: 0n }),
  ofOpenings('identity as β', { number: 1, r: modulo(-inverse(VOTE.secret)) }),
  ofOpenings('identity as α and β', { number: 0, r: 0n }),
  ofEncoding('a point with the highest bit', (bytes) =>
    Uint8Array.from(bytes, (byte, at) => (at === 31 ? byte | 0x80 : byte)),
  ),
  ofEncoding('a point by its negative s', (bytes) => encodeScalar(2n ** 255n - 19n - littleEndian(bytes))),
  ofChange('e + ℓ', ({ scalars }) => addTo(scalars[0]!.bytes, ORDER), {
    check: 'scalar',
    question: 0,
    option: 0,
  }),
  ofChange('z + ℓ', ({ scalars }) => addTo(scalars[3]!.bytes, ORDER), {
    check: 'scalar',
    question: 0,
    option: 0,
  }),
  ofChange('z + ℓ in the proof of the number', ({ scalars }) => addTo(scalars.at(-1)!.bytes, ORDER), {
    check: 'scalar',
    question: 1,
  }),

  ofChange('z + 1', ({ scalars }) => shift(scalars[2]!.bytes, 1n), OPTION),
  ofChange(
    'e₀ + 1 and e₁ − 1',
    ({ scalars }) => {
      shift(scalars[0]!.bytes, 1n);
      shift(scalars[1]!.bytes, -1n);
    },
    OPTION,
  ),
  ofChange('z₊ + 1', ({ scalars }) => shift(scalars[NUMBER_OF_FIRST + 2]!.bytes, 1n), NUMBER),
  ofChange(
    'e + 1 in the proof of the number',
    ({ scalars }) => shift(scalars[NUMBER_OF_FIRST]!.bytes, 1n),
    NUMBER,
  ),

  ofChange(
    'two options swapped with their proofs',
    ({ points, scalars }) => {
      for (const at of [0, 1]) swap(points[2 + at]!.bytes, points[4 + at]!.bytes);
      for (const at of [0, 1, 2, 3]) swap(scalars[at]!.bytes, scalars[4 + at]!.bytes);
    },
    OPTION,
    { unbound: ['ciphertexts', 'slot'] },
  ),
  ofChange(
    'two questions swapped with their proofs',
    ({ points, scalars }) => {
      for (const at of points.slice(8).keys()) swap(points[at]!.bytes, points[8 + at]!.bytes);
      for (const at of scalars.slice(21).keys()) swap(scalars[at]!.bytes, scalars[21 + at]!.bytes);
    },
    OPTION,
    { unbound: ['ciphertexts', 'question'] },
  ),
  {
    name: 'one proof for two options',
    make: reusedProof,
    refused: { check: 'option', question: 0, option: 1 },
    accepted: { unbound: ['slot'] },
  },
  {
    name: 'one proof of the number for two questions',
    make: reusedNumber,
    refused: { check: 'number', question: 1 },
    accepted: { unbound: ['question'] },
  },
  {
    name: 'a ciphertext that was randomised again',
    make: (transcript) => rerandomise(forge({ transcript, openings: open(FAIR, FAIR) }).bytes),
    refused: OPTION,
    accepted: { unbound: ['ciphertexts'] },
  },
  {
    name: 'a ciphertext chosen after the challenge',
    make: ciphertextAfterChallenge,
    refused: OPTION,
    accepted: { without: ['number'], unbound: ['ciphertexts'] },
  },
  {
    name: 'commitments chosen after the challenge',
    make: commitmentAfterChallenge,
    refused: OPTION,
    accepted: { unbound: ['commitments'] },
  },

  {
    name: 'the last byte missing',
    make: truncated,
    refused: { check: 'length' },
    accepted: { without: ['length', 'scalar'] },
  },
  {
    name: 'a byte more',
    make: (transcript) =>
      Buffer.concat([forge({ transcript, openings: open(FAIR, FAIR) }).bytes, Uint8Array.of(0)]),
    refused: { check: 'length' },
    accepted: { without: ['length'] },
  },
  {
    name: 'another version',
    make: (transcript) => {
      const { bytes } = forge({ transcript, openings: open(FAIR, FAIR) });
      bytes[0] = 2;
      return bytes;
    },
    refused: { check: 'version' },
    accepted: { without: ['version'] },
  },
];
