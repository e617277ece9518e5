import { brokenLinks, brokenPaths, documents, pathsIn } from './markdown';

const all = documents();

describe('README.md and docs', () => {
  it('link to files and titles that there are', () => {
    expect(all.size).toBeGreaterThan(20);
    expect([...all].flatMap(([name, text]) => brokenLinks(name, text))).toEqual([]);
  });

  it('name files and folders that there are', () => {
    expect([...all.values()].flatMap(pathsIn).length).toBeGreaterThan(150);
    expect([...all].flatMap(([name, text]) => brokenPaths(name, text))).toEqual([]);
  });

  it('are all found from README.md', () => {
    const documentsOfDocs = [...all.keys()].filter((name) => /^docs\/[^/]+$/.test(name));
    expect(documentsOfDocs.length).toBeGreaterThan(8);
    expect(documentsOfDocs.filter((name) => !all.get('README.md')!.includes(`](${name})`))).toEqual([]);
  });

  it.each([
    ['a file', '[x](operation.md)'],
    ['a title of a file', '[x](operations.md#process)'],
    ['a title of the document itself', '# One\n\n[x](#two)'],
    ['a file outside the repository', '[x](../../../etc/passwd)'],
    ['a picture', '![x](images/none.png)'],
  ])('a link that leads nowhere is seen: %s', (_what, text) => {
    expect(brokenLinks('docs/x.md', text)).toHaveLength(1);
  });

  it('and links that lead somewhere are not', () => {
    const text =
      '# One `two`: three\n\n[a](operations.md#processes) [b](#one-two-three) [c](adr) [d](https://x.test/#y)';
    expect(brokenLinks('docs/x.md', text)).toEqual([]);
  });

  it('a path that leads nowhere is seen, and a pattern that finds something is not', () => {
    const text = '`libs/voting/src/none.ts` `libs/*/src/index.ts` `test/none*` `eslint.config.js.mjs` `x/y`';
    expect(brokenPaths('x.md', text)).toEqual([
      'x.md: libs/voting/src/none.ts',
      'x.md: test/none*',
      'x.md: eslint.config.js.mjs',
    ]);
  });
});
