import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOf, type Made } from './support/bundle';
import { COUNTS, publishedVote } from './support/published';
import { EMPTY_SEATS, RESULTS, SAMPLE } from './support/sample';
import { PACKAGE } from './support/verifier';

/**
 * One-line faults of the verifier's counting: the built file, a part of it, and its replacement. Each is written into a
 * copy of the package, which then counts the published counts and the votes that were counted manually.
 */
const FAULTS: readonly (readonly [string, string, string, string])[] = [
  ['the threshold must be exceeded', 'ranked', 'compare(threshold) >= 0', 'compare(threshold) > 0'],
  ['quota without its 1', 'ranked', 'BigInt(seats + 1)) + 1n)', 'BigInt(seats + 1)))'],
  ['quota of the seats, not one more', 'ranked', 'BigInt(seats + 1)', 'BigInt(seats)'],
  ['majority without its 1', 'ranked', '(2n * unit) + 1n', '(2n * unit)'],
  ['majority of all ballots', 'ranked', 'Fraction.of(total).minus(exhausted).floor()', 'total'],
  ['unit of the quota is always 1', 'results', '10n ** BigInt(4 - Decimales)', '10000n'],
  ['oldest round decides a tie', 'ranked', 'earlier[round - 1]', 'earlier[earlier.length - round]'],
  ['no round decides a tie', 'ranked', 'round > 0; round--', 'round > earlier.length; round--'],
  [
    'earlier rounds decide for the other side',
    'ranked',
    'order > 0 === isMost',
    'order > 0 === (isMost === (of === weights))',
  ],
  [
    'weights as floats',
    'fraction',
    'return Fraction.of(this.over * other.over, this.under * other.under);',
    'return Fraction.of(BigInt(Math.round(1e5 * Number(this.over) / Number(this.under) * Number(other.over) / Number(other.under))), 100000n);',
  ],
  [
    'figures are cut, not rounded',
    'fraction',
    '(2n * this.over * parts + this.under)',
    '(2n * this.over * parts)',
  ],
  ['surplus in parts of the threshold', 'ranked', 'dividedBy(weight)', 'dividedBy(threshold)'],
  ['smallest surplus first', 'ranked', 'rounds, isSurplus, draw', 'rounds, false, draw'],
  ['surplus stays with the elected', 'ranked', 'weights.set(chosen, threshold)', 'void 0'],
  ['exhausted ballots are lost', 'ranked', 'exhausted = exhausted.plus(lost)', 'void 0'],
  [
    'transfers to elected options',
    'ranked',
    '!open.has(wanted[paper.place])',
    'false && wanted[paper.place]',
  ],
  ['last options are not elected', 'ranked', '<= left - elected.length', '< left - elected.length'],
  ['elected in the order of the question', 'ranked', 'elected.sort(byWeight)', 'void 0'],
  ['seed without the partner', 'results', '`${graineDepartage}:${grainePartenaire}`', 'graineDepartage'],
  [
    'draw takes the largest digest',
    'results',
    'digestOf(purpose, other) < digestOf',
    'digestOf(purpose, other) > digestOf',
  ],
  ['number of the seat in a draw from 0', 'results', 'draw(elected.length + 1', 'draw(elected.length'],
  ['options without weight are elected', 'results', 'weightOf(option) > 0n', 'weightOf(option) >= 0n'],
  ['percentages are cut, not rounded', 'results', '(part * 20000n + whole)', '(part * 20000n)'],
  ['percentages of all ballots', 'results', 'sums.expressedWeight)', 'sums.weight)'],
  ['a filter counts a part of a class', 'results', '.every(', '.some('],
  ['ranked votes count all options', 'answers', 'reponse.slice(0, 1)', 'reponse'],
];

/** Prints the name of the first bundle that is not equal. */
const CHECKER = `
import { readdirSync, readFileSync } from 'node:fs';
import { countRanked, readKeys, verifyPlain } from './dist/index.js';
const [folder] = process.argv.slice(2);
const keys = readKeys(readFileSync(folder + '/jwks.json'), 'jwks.json');
const held = { notes: [], receipts: [], proofs: [], attestations: [], growths: [] };
for (const name of readdirSync(folder).filter((one) => one.endsWith('.tar'))) {
  try {
    if (verifyPlain({ bundle: folder + '/' + name, keys, held, voters: [] }).findings.count === 0) continue;
  } catch {}
  console.log(name.replace('.tar', ''));
  process.exit();
}
// A bundle has no options that a transfer passes over, so whole rankings are counted besides.
const rankings = [[0], [1, 0, 2], [2]].map((options, index) => ({ options, weight: [50000n, 10000n, 20000n][index] }));
const [, passing] = countRanked(3, 2, 10000n, rankings, (_, [first]) => first).rests;
if (passing.join() !== '1,2') console.log('whole rankings: ' + passing);
`;

describe('one-line faults in the counting of the verifier', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'verify-faults-'));
    mkdirSync(join(folder, 'bundles'));
    const write = (name: string, { tar, jwks }: Made): void => {
      writeFileSync(join(folder, 'bundles', `${name}.tar`), tar);
      writeFileSync(join(folder, 'bundles/jwks.json'), jwks);
    };
    for (const [name, published] of COUNTS) write(name, bundleOf(publishedVote(name, published).spec));
    write('by-hand', bundleOf({ ...SAMPLE, resultats: RESULTS }));
    write('empty-seats', bundleOf(EMPTY_SEATS));
    writeFileSync(join(folder, 'check.mjs'), CHECKER);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Returns the bundles that a copy of the verifier with a fault refuses. */
  function refusedWith(file?: string, before = '', after = ''): string[] {
    const dist = join(folder, 'dist');
    rmSync(dist, { recursive: true, force: true });
    cpSync(join(PACKAGE, 'dist'), dist, { recursive: true });
    if (file !== undefined) {
      const path = join(dist, `${file}.js`);
      const code = readFileSync(path, 'utf8');
      expect(code.split(before)).toHaveLength(2);
      writeFileSync(
        path,
        code.replace(before, () => after),
      );
    }
    const output = execFileSync(process.execPath, [join(folder, 'check.mjs'), join(folder, 'bundles')], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    return output.split('\n').filter((line) => line !== '');
  }

  it('without a fault all bundles are equal', () => expect(refusedWith()).toEqual([]));

  it.each(FAULTS)('%s: found', (_, file, before, after) => {
    expect(refusedWith(file, before, after)).not.toEqual([]);
  });
});
