import { type Made } from '../support/bundle';
import { type Report, run } from '../support/verifier';
import { differences, differencesInPython, describePython } from './support/check';
import { build, type Built, madeOf, SMALL, type Small, voterId } from './support/election';
import { TINY } from './support/forgeries';
import { decimal, Draws } from './support/prover';

/** A vote with random questions, guardians, classes, weights and answers. */
function randomVote(seed: string): Small {
  const draws = new Draws(`vote ${seed}`);
  const below = (most: number): number => Number(draws.next() % BigInt(most));
  const guardians = 1 + below(4);
  const seuil = 1 + below(guardians);
  const presents = Array.from({ length: guardians }, (_, index) => index + 1);
  while (presents.length > seuil) presents.splice(below(presents.length), 1);
  const questions = Array.from({ length: 1 + below(2) }, () => {
    const count = 1 + below(4);
    const MinReponses = below(count + 1);
    const MaxReponses = Math.max(1, MinReponses) + below(count);
    const options = Array.from({ length: count }, (_, option) => `Option ${option}`);
    return {
      Type: 'ChoixLibre' as const,
      EstPreferentiel: false,
      MinReponses,
      MaxReponses,
      options,
    };
  });
  const classes = 1 + below(2);
  const weights = Array.from({ length: 1 + below(3) }, () => decimal(1n + BigInt(below(50_000))));
  const ballots = Array.from({ length: 2 * classes + below(3) }, (_, index) => ({
    ...{ classe: 1 + (index % classes), syndicat: `SYN-${1 + (index % classes)}` },
    poids: weights[below(weights.length)]!,
    reponses: questions.map(({ MinReponses, MaxReponses, options }) => {
      if (below(4) === 0) return [];
      const least = Math.max(1, MinReponses);
      const chosen = options.map((_, option) => option);
      const number = least + below(Math.min(MaxReponses, options.length) - least + 1);
      while (chosen.length > number) chosen.splice(below(chosen.length), 1);
      return chosen;
    }),
  }));
  const Decimales = Math.max(...ballots.map(({ poids }) => (poids.split('.')[1] ?? '').length));
  const gardiens = Array.from({ length: guardians }, (_, index) => `Guardian ${index + 1}`);
  return {
    seuilAnonymat: 2,
    gardiens,
    seuil,
    presents,
    ballots,
    questions: questions.map((one) => ({ ...one, Decimales })),
  };
}

const EMPTY: Small = {
  ...{ ...SMALL, ballots: [], others: [{}] },
  questions: SMALL.questions.map((question) => ({ ...question, Decimales: 0 })),
};
const VOTES: [string, Small][] = [
  ['two classes, one with several weights', SMALL],
  ['one option and one ballot', TINY],
  ['one guardian', { ...TINY, gardiens: ['Alice Roy'], seuil: 1, presents: [1] }],
  ['a vote without ballots', EMPTY],
  ...['1', '2', '3', '4', '5', '6'].map((seed): [string, Small] => [`random vote ${seed}`, randomVote(seed)]),
];

describe('encrypted votes that are right', () => {
  const made = new Map<Small, Made>();
  const of = (small: Small): Made => {
    if (!made.has(small)) made.set(small, madeOf(build(small)));
    return made.get(small)!;
  };
  let built: Built;
  beforeAll(() => {
    built = build(SMALL);
  });

  it.each(VOTES)('%s: equal, with the roll', async (_, small) => {
    expect(await differences(of(small), true)).toEqual([]);
  });

  it.each([
    [1, 2],
    [1, 3],
    [2, 3],
  ])('guardians %i and %i decrypt the same', async (...presents) => {
    expect(await differences(madeOf(built, { presents }))).toEqual([]);
  });

  describePython('by the verifier in Python', () => {
    it('all are equal', async () => {
      const all = VOTES.map(([, small]) => of(small));
      expect(await differencesInPython(all)).toEqual(VOTES.map(() => []));
    }, 500_000);
  });

  it('the receipt, the proof and the attestation of a ballot are accepted, and another receipt is not', () => {
    const { tar, jwks, proofOf, attestationOf } = of(SMALL);
    const receipt = (proofOf(2, 7) as { EmpreinteRecu: string }).EmpreinteRecu;
    const files = { 'dossier.tar': tar, 'jwks.json': jwks, 'proof.json': JSON.stringify(proofOf(2, 7)) };
    const check = (...more: string[]): [number | null, string[]] => {
      const { status, stdout } = run(files, ['dossier.tar', '--cles', 'jwks.json', '--json', ...more]);
      return [status, (JSON.parse(stdout) as Report).differences.map(({ chiffre }) => chiffre)];
    };
    expect(check('--recu', receipt, '--preuve', 'proof.json', '--attestation', attestationOf(6))).toEqual([
      0,
      [],
    ]);
    // The verifier does not take the digest of a receipt for the receipt.
    expect(check('--recu', voterId(2))).toEqual([1, ['receipt']]);
  });

  it('a receipt counts for its voter only, if the voter is given: a device could show the receipt of another ballot', () => {
    const { tar, jwks, proofOf, attestationOf, voterOf } = of(SMALL);
    const receipt = (proofOf(2, 7) as { EmpreinteRecu: string }).EmpreinteRecu;
    const files = { 'dossier.tar': tar, 'jwks.json': jwks, 'proof.json': JSON.stringify(proofOf(2, 7)) };
    const check = (voter: number, ...more: string[]): [number | null, string[]] => {
      const line = JSON.stringify(voterOf(voter));
      const args = ['dossier.tar', '--cles', 'jwks.json', '--json', '--votant', 'voter.json', ...more];
      const { status, stdout } = run({ ...files, 'voter.json': line }, args);
      return [status, (JSON.parse(stdout) as Report).differences.map(({ chiffre }) => chiffre)];
    };
    const voters = SMALL.ballots.map((_, voter) => voter);
    const right = voters.filter((voter) => check(voter, '--recu', receipt)[0] === 0);
    expect(right).toHaveLength(1);
    const other = voters.find((voter) => voter !== right[0])!;
    const of2 = ['voter of the ballot with this receipt'];
    expect(check(other, '--recu', receipt)).toEqual([1, of2]);
    expect(check(other, '--preuve', 'proof.json')).toEqual([1, of2]);
    expect(check(other, '--attestation', attestationOf(2))).toEqual([1, of2]);
    expect(check(right[0]!, '--preuve', 'proof.json', '--attestation', attestationOf(2))).toEqual([0, []]);
  });

  it('the output says what it proves, and shows the fingerprints of the guardians', () => {
    const { tar, jwks } = of(SMALL);
    const { status, stdout } = run({ 'dossier.tar': tar, 'jwks.json': jwks }, [
      'dossier.tar',
      '--cles',
      'jwks.json',
    ]);
    expect([status, stdout.split('\n').at(-2)]).toEqual([0, 'ALL EQUAL']);
    expect(stdout.split('\n')[0]).toContain('sums of the encrypted ballots');
    expect(stdout).toMatch(/fingerprints: Alice Roy [0-9a-f]{4}( [0-9a-f]{4}){7}, Bruno Pic /);
  });
});
