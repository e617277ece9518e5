import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, titlesOf } from './markdown';

const CONTRACT = 'docs/contract.md';
const PLACES = '{apps,bench,examples,libs,migrations,packages/*/src,test,tools}/**/*.{ts,mjs,cjs,sql}';
const SELF = 'test/docs/citations.spec.ts';

/** Returns the titles of the contract that comments of a source cite; a citation may continue on the next line. */
function citedTitles(source: string): string[] {
  const text = source.replaceAll(/\n\s*(?:\*|\/\/|--)?\s*/g, ' ');
  return [...text.matchAll(/docs\/contract\.md, "([^"]+)"/g)].map(([, title]) => title!);
}

/** Returns citations of titles that the contract does not have, and citations of it without a title. */
function faultsOf(name: string, source: string, titles: readonly string[]): string[] {
  const cited = citedTitles(source);
  const mentions = source.match(/docs\/contract\.md\b/g)?.length ?? 0;
  return [
    ...cited.filter((title) => !titles.includes(title)).map((title) => `${name}: no title "${title}"`),
    ...(mentions > cited.length ? [`${name}: a citation without a title`] : []),
    ...(/\b(?:decisions, section|specification, ")/.test(source) ? [`${name}: another document`] : []),
  ];
}

describe('Citations of docs/contract.md', () => {
  const titles = titlesOf(readFileSync(join(ROOT, CONTRACT), 'utf8'));
  const sources = globSync(PLACES, { cwd: ROOT })
    .filter((name) => name !== SELF && !name.includes('node_modules') && !name.includes('/generated/'))
    .map((name): [string, string] => [name, readFileSync(join(ROOT, name), 'utf8')]);

  it('name titles that it has', () => {
    expect(sources.flatMap(([, source]) => citedTitles(source)).length).toBeGreaterThan(100);
    expect(sources.flatMap(([name, source]) => faultsOf(name, source, titles))).toEqual([]);
  });

  it('are unambiguous, because it has each title once', () => {
    expect(titles.filter((title, place) => titles.indexOf(title) !== place)).toEqual([]);
  });

  it.each([
    ['a title that it does not have', '// (docs/contract.md, "Pages")', ['x.ts: no title "Pages"']],
    ['a title on the next line', '/**\n * (docs/contract.md,\n * "Pages")\n */', ['x.ts: no title "Pages"']],
    ['a citation without a title', '// (docs/contract.md)', ['x.ts: a citation without a title']],
    ['another document', '// (decisions, section 3)', ['x.ts: another document']],
    ['a title that it has', '// (docs/contract.md,\n  // "Paging")', []],
  ])('%s: the faults are found', (_what, source, faults) => {
    expect(faultsOf('x.ts', source, titles)).toEqual(faults);
  });
});
