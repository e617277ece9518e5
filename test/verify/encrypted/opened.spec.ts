import { CAMPAIGN } from '../support/bundle';
import { run } from '../support/verifier';
import { build, type Built, SMALL, voterId } from './support/election';
import { type Asked, b64, B, sha256, times } from './support/prover';

interface Audit {
  scrutin: Record<string, unknown>;
  VotantId: string;
  bulletin: string;
  choix: number[][];
  aleas: string[];
}

describe('mandat-verify ballot', () => {
  let built: Built;
  let scrutin: Record<string, unknown>;
  beforeAll(() => {
    built = build({ ...SMALL, ballots: SMALL.ballots.slice(0, 2) });
    scrutin = {
      ...{ campagneId: CAMPAIGN, seuilAnonymat: SMALL.seuilAnonymat, titre: 'Comité' },
      ...{ ceremonie: b64(built.ceremony.Z), cle: b64(built.ceremony.Y) },
      questions: built.vote.questions,
    };
  });

  const auditOf = (index: number): Audit => ({
    ...{ scrutin, VotantId: voterId(index), bulletin: b64(built.sealed[index]!.ballot) },
    choix: SMALL.ballots[index]!.reponses.map((chosen) => [...chosen]),
    aleas: built.sealed[index]!.aleas.map(b64),
  });
  const check = (audit: unknown, vote?: unknown, ...more: string[]): ReturnType<typeof run> =>
    run(
      {
        'audit.json': JSON.stringify(audit),
        ...(vote === undefined ? {} : { 'scrutin.json': JSON.stringify(vote) }),
      },
      ['ballot', 'audit.json', ...(vote === undefined ? [] : ['--scrutin', 'scrutin.json']), ...more],
    );
  const differing = (audit: unknown, vote?: unknown): string[] => {
    const { status, stdout } = check(audit, vote, '--json');
    const { verdict, differences } = JSON.parse(stdout) as {
      verdict: string;
      differences: { chiffre: string }[];
    };
    expect([status, verdict]).toEqual(differences.length > 0 ? [1, 'faux'] : [0, 'juste']);
    return differences.map(({ chiffre }) => chiffre);
  };

  it('shows the choices in words, and an abstention', () => {
    const first = check(auditOf(0), scrutin);
    expect([first.status, first.stdout]).toEqual([
      0,
      expect.stringContaining('\nQuestion 0: A, C\nQuestion 1: Jo\n'),
    ]);
    expect(first.stdout).toContain('THE BALLOT ENCRYPTS THESE CHOICES');
    expect(first.stdout).not.toContain('--scrutin');
    expect(first.stdout).toContain(`receipt is ${b64(sha256(built.sealed[0]!.ballot))}.`);
    const second = check(auditOf(1), undefined, '--langue', 'fr');
    expect([second.status, second.stdout]).toEqual([0, expect.stringContaining('Question 1: abstention')]);
    expect(second.stdout).toContain('LE BULLETIN CHIFFRE CES CHOIX');
    expect(second.stdout).toContain('--scrutin');
  });

  it.each([
    ['labels', ({ Libelles: _, ...rest }: Asked) => rest, 'scrutin.questions[0].Libelles'],
    [
      'one label',
      (one: Asked) => ({ ...one, Libelles: one.Libelles.slice(1) }),
      'scrutin.questions[0].Libelles',
    ],
    ['a title', ({ Titre: _, ...rest }: Asked) => rest, 'scrutin.questions[0].Titre'],
  ])('a vote without %s: a difference', (_, change, figure) => {
    const [first, ...others] = built.vote.questions;
    const plain = { ...scrutin, questions: [change(first!), ...others] };
    expect(differing({ ...auditOf(0), scrutin: plain })).toEqual([figure]);
  });

  it('other choices than those that are encrypted differ', () => {
    expect(differing({ ...auditOf(0), choix: [[1, 2], [1]] })).toEqual([
      'ciphertext of questions[0], option 0',
      'ciphertext of questions[0], option 1',
    ]);
    expect(differing({ ...auditOf(0), choix: [[], [1]] })).toEqual([
      'ciphertext of questions[0], abstention',
      'ciphertext of questions[0], option 0',
      'ciphertext of questions[0], option 2',
    ]);
  });

  it('randomness, voter, key and proofs of others differ', () => {
    const [first, second] = [auditOf(0), auditOf(1)];
    const all = first.aleas.map((_, slot) =>
      slot < 4
        ? `ciphertext of questions[0], ${slot === 0 ? 'abstention' : `option ${slot - 1}`}`
        : `ciphertext of questions[1], ${slot === 4 ? 'abstention' : `option ${slot - 5}`}`,
    );
    expect(differing({ ...first, aleas: second.aleas })).toEqual(all);
    const proof = 'bulletin: questions[0], slot 1: proof that it is 0 or 1';
    expect(differing({ ...first, VotantId: second.VotantId })).toEqual([proof]);
    expect(differing({ ...first, scrutin: { ...scrutin, cle: b64(times(5n, B)) } })).toEqual([...all, proof]);
    const bytes = Buffer.from(first.bulletin, 'base64url');
    bytes[bytes.length - 32]! ^= 1;
    expect(differing({ ...first, bulletin: b64(bytes) })).toEqual([
      'bulletin: questions[1]: proof of the number of options',
    ]);
  });

  it('a vote other than that of --scrutin differs', () => {
    const audit = auditOf(0);
    expect(differing(audit, { ...scrutin, cle: b64(times(5n, B)) })).toEqual(['scrutin.cle']);
    expect(differing(audit, { ...scrutin, ceremonie: b64(Buffer.alloc(32, 1)) })).toEqual([
      'scrutin.ceremonie',
    ]);
    expect(differing(audit, { ...scrutin, seuilAnonymat: 4 })).toEqual(['scrutin: structure (S)']);
  });

  it.each<[string, (question: { Titre: string; Libelles: string[] }) => void]>([
    ['labels that are exchanged', ({ Libelles }) => Libelles.reverse()],
    ['another title', (question) => (question.Titre = 'Refusez-vous ?')],
    ['a label in another normal form', ({ Libelles }) => (Libelles[0] = 'A\u0301')],
  ])('a ballot does not count for a vote with %s', (_, change) => {
    const lies = structuredClone(scrutin) as { questions: { Titre: string; Libelles: string[] }[] };
    change(lies.questions[0]!);
    expect(differing({ ...auditOf(1), scrutin: lies })).not.toEqual([]);
    expect(differing(auditOf(1), lies)).toEqual(['scrutin: structure (S)']);
    expect(differing(auditOf(1), scrutin)).toEqual([]);
  });

  it.each<[string, (audit: Audit) => object, string]>([
    ['a member is missing', ({ VotantId: _, ...rest }) => rest, 'VotantId'],
    ['a place is none of an option', (audit) => ({ ...audit, choix: [[3], [1]] }), 'choix[0]'],
    ['a place occurs twice', (audit) => ({ ...audit, choix: [[0, 0], [1]] }), 'choix[0]'],
    ['an alea is missing', (audit) => ({ ...audit, aleas: audit.aleas.slice(0, -1) }), 'number of aleas'],
    ['the voter is no identifier', (audit) => ({ ...audit, VotantId: 'x' }), 'VotantId'],
  ])('%s: a difference', (_, change, figure) => {
    expect(differing(change(auditOf(0)))).toContain(figure);
  });

  it.each([
    [['ballot'], 'Name one opened ballot'],
    [['ballot', 'audit.json', '--cles', 'x'], '--cles is no option of a ballot'],
    [['dossier.tar', '--cles', 'x', '--scrutin', 'y'], '--scrutin is no option of a bundle'],
    [['ballot', 'other.json'], 'other.json cannot be read'],
  ])('%j: exit 2', (args, message) => {
    const { status, stderr } = run({ 'audit.json': '{}' }, args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
