import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokenLinks, brokenPaths, documents, pathsIn, ROOT, unscopedPackages } from './markdown';

const all = documents();

describe('README.md and docs', () => {
  it('link only to existing files and titles', () => {
    expect(all.size).toBeGreaterThan(20);
    expect([...all].flatMap(([name, text]) => brokenLinks(name, text))).toEqual([]);
  });

  it('name only existing files and folders', () => {
    expect([...all.values()].flatMap(pathsIn).length).toBeGreaterThan(150);
    expect([...all].flatMap(([name, text]) => brokenPaths(name, text))).toEqual([]);
  });

  it('are all linked from README.md', () => {
    const documentsOfDocs = [...all.keys()].filter((name) => /^docs\/[^/]+$/.test(name));
    expect(documentsOfDocs.length).toBeGreaterThan(8);
    expect(documentsOfDocs.filter((name) => !all.get('README.md')!.includes(`](${name})`))).toEqual([]);
  });

  it('name packages of the product with their scope, as do all other texts and programs', () => {
    const names = globSync(
      [
        '*.md',
        'docs/**/*.{md,json}',
        'packages/*/{README.md,bin/*,src/*.ts}',
        '{apps,libs,examples}/**/*.ts',
      ],
      { cwd: ROOT },
    );
    expect(names.length).toBeGreaterThan(300);
    const found = names.filter((name) => unscopedPackages(readFileSync(join(ROOT, name), 'utf8')).length > 0);
    expect(found).toEqual([]);
    expect(unscopedPackages('npx mandat-verify x, npm install -g mandat; npx @mandat/verify')).toEqual([
      'mandat-verify',
      'mandat',
    ]);
  });

  it.each([
    ['a file', '[x](operation.md)'],
    ['a title of a file', '[x](operations.md#process)'],
    ['a title of the document itself', '# One\n\n[x](#two)'],
    ['a file outside the repository', '[x](../../../etc/passwd)'],
    ['a picture', '![x](images/none.png)'],
  ])('a broken link is reported: %s', (_what, text) => {
    expect(brokenLinks('docs/x.md', text)).toHaveLength(1);
  });

  it('working links are not reported', () => {
    const text =
      '# One `two`: three\n\n[a](operations.md#processes) [b](#one-two-three) [c](adr) [d](https://x.test/#y)';
    expect(brokenLinks('docs/x.md', text)).toEqual([]);
  });

  it('a path or pattern without a file is reported', () => {
    const text = '`libs/voting/src/none.ts` `libs/*/src/index.ts` `test/none*` `eslint.config.js.mjs` `x/y`';
    expect(brokenPaths('x.md', text)).toEqual([
      'x.md: libs/voting/src/none.ts',
      'x.md: test/none*',
      'x.md: eslint.config.js.mjs',
    ]);
  });
});
