import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { depth } from '../setup/depth';
import {
  ballotLength,
  checkAudit,
  checker,
  checkModule,
  ChoiceError,
  type Choix,
  type Group,
  libsodium,
  limitsOf,
  noble,
  type OpenedBallot,
  readBallot,
  receiptOf,
  type Scrutin,
  seal,
  sealWith,
  structureDigest,
  voteOf,
} from './support/package';
import { elections, seeded, testVote, type TestVote, uuid } from './support/votes';

const VOTER = uuid('voter');
const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'base64url');

/** The number of ballots with each slot, from the sum of their ciphertexts and the secret key. */
function decryptSums<P>(
  group: Group<P>,
  { scrutin, secret }: TestVote,
  ballots: readonly Uint8Array[],
): number[] {
  const read = ballots.map((bytes) => readBallot(voteOf(group, scrutin), bytes).slots.flat());
  return read[0]!.map((_, at) => {
    const sum = read
      .map((slots) => slots[at]!)
      .reduce((one, other) => ({
        alpha: group.add(one.alpha, other.alpha),
        beta: group.add(one.beta, other.beta),
      }));
    const point = group.encode(group.subtract(sum.beta, group.multiply(secret, sum.alpha)));
    const counts = Array.from({ length: ballots.length + 1 }, (_, n) => n);
    return counts.find((n) => Buffer.compare(group.encode(group.multiplyBase(BigInt(n))), point) === 0) ?? -1;
  });
}

/** Returns the expected sums, counted in plaintext. */
const plainSums = ({ questions }: Scrutin, ballots: readonly Choix[]): number[] =>
  questions.flatMap(({ Options }, q) => [
    ballots.filter((choix) => choix[q]!.length === 0).length,
    ...Options.map((_, option) => ballots.filter((choix) => choix[q]!.includes(option)).length),
  ]);

describe('a sealed ballot', () => {
  it('any allowed choice is accepted and sums decrypt to the choices, with each library sealing and the other checking', async () => {
    const sodium = (await libsodium()) as unknown as typeof noble;
    fc.assert(
      fc.property(elections, ({ vote, ballots }) => {
        const { scrutin } = vote;
        for (const [sealing, checking] of [
          [noble, sodium],
          [sodium, noble],
        ] as const) {
          const { check } = checker(checking, scrutin);
          const cast = ballots.map((choix, voter) => {
            const VotantId = uuid(`voter ${voter}`);
            const bytes = bytesOf(
              sealWith(sealing, seeded(VotantId), scrutin, VotantId, choix).cast().BulletinChiffre,
            );
            expect(check(VotantId, bytes)).toBeUndefined();
            return bytes;
          });
          expect(decryptSums(checking, vote, cast)).toEqual(plainSums(scrutin, ballots));
        }
      }),
      { numRuns: depth(8, 200) },
    );
  });

  it('has the length of the specification, also for limits beyond the options', () => {
    fc.assert(
      fc.property(elections, ({ vote: { scrutin } }) => {
        const length = scrutin.questions.reduce(
          (sum, { Options: { length: m }, MinReponses, MaxReponses }) => {
            const [l, h] = [Math.max(1, MinReponses), Math.min(m, MaxReponses)];
            return sum + 64 * (m + 1) + 128 * m + 96 * (h - l + 2);
          },
          1,
        );
        expect(ballotLength(limitsOf(scrutin))).toBe(length);
      }),
    );
  });

  it('is another one each time, and shows nothing of its choices as JSON', () => {
    const { scrutin } = testVote('twice', [[2, 1, 1]]);
    const ballots = [0, 1].map(() => seal(scrutin, VOTER, [[1]]));
    expect(Object.keys(JSON.parse(JSON.stringify(ballots[0])) as object)).toEqual(['recu']);
    const [one, other] = ballots.map((ballot) => ballot.audit());
    expect(one!.bulletin).not.toBe(other!.bulletin);
    expect(new Set([...one!.aleas, ...other!.aleas]).size).toBe(6);
  });

  it('has the SHA-256 of its bytes as its receipt', () => {
    const sealed = seal(testVote('receipt', [[1, 0, 1]]).scrutin, VOTER, [[0]]);
    const { BulletinChiffre } = sealed.cast();
    expect(sealed.recu).toBe(createHash('sha256').update(bytesOf(BulletinChiffre)).digest('base64url'));
    expect(receiptOf(BulletinChiffre)).toBe(sealed.recu);
    expect(() => receiptOf(`${BulletinChiffre}=`)).toThrow(TypeError);
  });

  it('is either cast, as often as a request must be repeated, or audited', () => {
    const { scrutin } = testVote('decision', [[2, 1, 1]]);
    const cast = seal(scrutin, VOTER, [[1]]);
    expect(cast.cast()).toEqual(cast.cast());
    expect(() => cast.audit()).toThrow('This ballot was cast. Seal the choices again.');
    const audited = seal(scrutin, VOTER, [[1]]);
    expect(audited.audit()).toEqual(audited.audit());
    expect(() => audited.cast()).toThrow('This ballot was audited. Seal the choices again.');
  });

  it.each<[string, Choix, number | undefined]>([
    ['too few questions', [[777]], undefined],
    ['too many options', [[0], [0, 1, 2, 3]], 1],
    ['too few options', [[0], [3]], 1],
    ['an option twice', [[0], [3, 3]], 1],
    ['an unknown option', [[777], []], 0],
    ['a negative place', [[-777], []], 0],
    ['half a place', [[0.777], []], 0],
  ])('%s is refused, and the message has no choice', (_what, choix, question) => {
    const { scrutin } = testVote('refused', [
      [2, 1, 1],
      [4, 2, 3],
    ]);
    let error: unknown;
    try {
      seal(scrutin, VOTER, choix);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ChoiceError);
    const { message } = error as Error;
    expect((error as { question?: number }).question).toBe(question);
    expect([
      'There are 2 questions.',
      'Question 0 has options 0 to 1, each once.',
      'Question 1 has options 0 to 3, each once.',
      'Question 1 allows 2 to 3 options, or none.',
    ]).toContain(message);
  });
});

describe('a vote', () => {
  const { scrutin } = testVote('vote', [
    [3, 0, 5],
    [2, 2, 2],
  ]);

  it('has the digest of its canonical JSON, whatever the case of its identifiers and its further members', () => {
    const json = canonicalize({
      campagneId: scrutin.campagneId,
      questions: scrutin.questions.map((question, q) => ({
        ...question,
        MinReponses: [1, 2][q],
        MaxReponses: [3, 2][q],
      })),
      seuilAnonymat: 5,
    })!;
    const digest = createHash('sha256').update(json).digest('hex');
    const other = { titre: 'é', ...scrutin, campagneId: scrutin.campagneId.toUpperCase() };
    for (const one of [scrutin, other])
      expect(Buffer.from(structureDigest(one)).toString('hex')).toBe(digest);
  });

  it.each<[string, (vote: { -readonly [K in keyof Scrutin]: Scrutin[K] }) => void]>([
    ['no question', (vote) => (vote.questions = [])],
    ['a question without options', ({ questions }) => Object.assign(questions[0]!, { Options: [] })],
    [
      'more options asked for than there are',
      ({ questions }) => Object.assign(questions[1]!, { MinReponses: 3 }),
    ],
    ['half an option', ({ questions }) => Object.assign(questions[0]!, { MaxReponses: 1.5 })],
    ['no limit', ({ questions }) => Object.assign(questions[0]!, { MaxReponses: null })],
    [
      'an option twice',
      ({ questions }) => Object.assign(questions[1]!, { Options: questions[0]!.Options.slice(1) }),
    ],
    ['a question without a title', ({ questions }) => Object.assign(questions[0]!, { Titre: undefined })],
    ['an option without a label', ({ questions }) => Object.assign(questions[0]!, { Libelles: ['a', 'b'] })],
    ['no labels', ({ questions }) => Object.assign(questions[0]!, { Libelles: undefined })],
    ['half a character', ({ questions }) => Object.assign(questions[0]!, { Titre: '\ud83d' })],
    ['an identifier that is none', ({ questions }) => Object.assign(questions[0]!, { QuestionId: 'x' })],
    ['no threshold', (vote) => (vote.seuilAnonymat = 0)],
    ['a key of another length', (vote) => (vote.cle = vote.cle.slice(4))],
    ['a key that is not a point', (vote) => (vote.cle = Buffer.alloc(32, 0xff).toString('base64url'))],
    ['the identity as its key', (vote) => (vote.cle = Buffer.alloc(32).toString('base64url'))],
    ['no ceremony', (vote) => (vote.ceremonie = '')],
  ])('with %s is refused', (_what, change) => {
    const vote = structuredClone(scrutin);
    expect(() => checker(noble, vote)).not.toThrow();
    change(vote);
    expect(() => checker(noble, vote)).toThrow(TypeError);
    expect(() => seal(vote, VOTER, [[0], []])).toThrow(TypeError);
  });
});

describe('an opened ballot', () => {
  const { scrutin } = testVote('audit', [
    [3, 1, 2],
    [2, 1, 1],
  ]);
  const opened = seal(scrutin, VOTER, [[0, 2], []]).audit();
  const copy = (): { -readonly [K in keyof OpenedBallot]: OpenedBallot[K] } => structuredClone(opened);

  it('is right with both libraries', async () => {
    expect(opened.choix).toEqual([[0, 2], []]);
    expect(checkAudit(JSON.parse(JSON.stringify(opened)) as OpenedBallot)).toBeUndefined();
    expect(checkModule.checkAudit(await libsodium(), opened)).toBeUndefined();
  });

  it.each<[string, (ballot: ReturnType<typeof copy>) => void, object]>([
    [
      'other choices',
      (ballot) => (ballot.choix = [[0, 1], []]),
      { check: 'opening', question: 0, option: 1 },
    ],
    ['no abstention', (ballot) => (ballot.choix = [[0, 2], [1]]), { check: 'opening', question: 1 }],
    [
      'other randomness',
      (ballot) => (ballot.aleas = ballot.aleas.with(2, ballot.aleas[1]!)),
      { check: 'opening', question: 0, option: 1 },
    ],
    ['randomness missing', (ballot) => (ballot.aleas = ballot.aleas.slice(1)), { check: 'opening' }],
    [
      'randomness in another form',
      (ballot) => (ballot.aleas = ballot.aleas.with(0, `${ballot.aleas[0]}=`)),
      { check: 'opening', question: 0 },
    ],
    [
      'another voter',
      (ballot) => (ballot.VotantId = uuid('other')),
      { check: 'option', question: 0, option: 0 },
    ],
    ['a ballot in another form', (ballot) => (ballot.bulletin += '='), { check: 'length' }],
    [
      'another ballot of the same choices',
      (ballot) => (ballot.bulletin = seal(scrutin, VOTER, opened.choix).audit().bulletin),
      { check: 'opening', question: 0 },
    ],
  ])('with %s is refused', (_what, change, failure) => {
    const ballot = copy();
    change(ballot);
    expect(checkAudit(ballot)).toEqual(failure);
  });
});
