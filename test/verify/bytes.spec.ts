import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { depth } from '../setup/depth';
import { bundleOf, optionId, questionId } from './support/bundle';
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
const { tar, jwks } = bundleOf({
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
});

/** Returns whether a bundle is refused: by a difference, or because it cannot be read. */
function isRefused(bytes: Buffer, folder: string): boolean {
  const bundle = join(folder, 'dossier.tar');
  writeFileSync(bundle, bytes);
  try {
    const keys = verifier.readKeys(Buffer.from(jwks), 'jwks.json');
    const held = { notes: [], receipts: [], proofs: [], attestations: [], growths: [] };
    return verifier.verifyBundle({ bundle, keys, held, voters: [] }).findings.count > 0;
  } catch (error) {
    if (error instanceof verifier.Unreadable) return true;
    throw error;
  }
}

describe('a bundle with one other byte', () => {
  // At default depth every 7th byte, with another bit each time.
  const step = depth(7, 1);
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'verify-bytes-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('the untouched bundle is accepted', () => expect(isRefused(tar, folder)).toBe(false));

  it(`each of the bytes at a distance of ${step} is refused`, () => {
    const accepted: number[] = [];
    for (let at = 0; at < tar.length; at += step) {
      const bytes = Buffer.from(tar);
      bytes[at]! ^= 1 << (at % 8);
      if (!isRefused(bytes, folder)) accepted.push(at);
    }
    expect(accepted).toEqual([]);
  });

  it('each length that ends too early is refused', () => {
    const accepted: number[] = [];
    for (let length = 0; length < tar.length; length += depth(97, 1))
      if (!isRefused(tar.subarray(0, length), folder)) accepted.push(length);
    expect(accepted).toEqual([]);
  });
});
