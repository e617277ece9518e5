import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { depth } from '../setup/depth';
import { bundleOf, optionId, questionId, type Spec } from './support/bundle';
import { COUNTS, publishedVote } from './support/published';
import { RESULTS, SAMPLE } from './support/sample';
import { verifier } from './support/verifier';
import { toutOf } from './support/vote';

/** A bundle of two ballots: few bytes, and each kind of file. */
const PLAIN = {
  questions: [
    { Type: 'Proposition' as const, EstPreferentiel: false, MaxReponses: 1, options: ['Pour', 'Contre'] },
  ],
  ballots: [{ reponses: [[0]] }, { reponses: [[]] }],
};
const options = ['Pour', 'Contre'].map((Libelle, option) => ({
  ...{ OptionId: optionId(0, option), Libelle, Votes: 1 - option },
  ...{ PoidsTotal: `${1 - option}`, Pourcentage: option === 0 ? '100' : '0' },
}));
const plain: Spec = {
  ...PLAIN,
  resultats: {
    filtres: [],
    tout: toutOf(PLAIN, [
      {
        ...{ QuestionId: questionId(0), Titre: 'Question 0', Type: 'Proposition', EstPreferentiel: false },
        ...{ Exprimes: 1, Abstentions: 1, Options: options },
      },
    ]),
  },
};

/** Published counts of both methods have no classes, filters or abstentions; the first two bundles have them. */
const BUNDLES = [
  ['two ballots', plain],
  ['every kind of question', { ...SAMPLE, resultats: RESULTS }],
  ...COUNTS.filter((_, place) => place % 3 === 0)
    .slice(0, 8)
    .map(([name, published]) => [name, publishedVote(name, published).spec] as const),
] as const;

/** Returns whether a bundle is refused: by a difference, or because it cannot be read. */
function isRefused(bytes: Buffer, jwks: string, folder: string): boolean {
  const bundle = join(folder, 'dossier.tar');
  writeFileSync(bundle, bytes);
  try {
    const keys = verifier.readKeys(Buffer.from(jwks), 'jwks.json');
    const held = { notes: [], receipts: [], proofs: [], attestations: [], growths: [] };
    return verifier.verifyPlain({ bundle, keys, held, voters: [] }).findings.count > 0;
  } catch (error) {
    if (error instanceof verifier.Unreadable) return true;
    throw error;
  }
}

it('ten bundles are changed', () => expect(BUNDLES).toHaveLength(10));

describe.each(BUNDLES)('the bundle of %s', (_name, spec) => {
  const { tar, jwks } = bundleOf(spec);
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'verify-bytes-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is accepted untouched', () => expect(isRefused(tar, jwks, folder)).toBe(false));

  // Another bit each time.
  const step = depth(61, 1);
  it(`is refused with any of the bytes at a distance of ${step} changed`, () => {
    const accepted: number[] = [];
    for (let at = 0; at < tar.length; at += step) {
      const bytes = Buffer.from(tar);
      bytes[at]! ^= 1 << (at % 8);
      if (!isRefused(bytes, jwks, folder)) accepted.push(at);
    }
    expect(accepted).toEqual([]);
  });

  it('is refused if it ends too early', () => {
    const accepted: number[] = [];
    for (let length = 0; length < tar.length; length += depth(977, 97))
      if (!isRefused(tar.subarray(0, length), jwks, folder)) accepted.push(length);
    expect(accepted).toEqual([]);
  });
});
