import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documents, ROOT, rowsOf } from './markdown';

/** Returns promises without a test, and quoted titles that the named files lack. */
function faultsOf(text: string): string[] {
  const chapter = text.split(/^## /m).find((part) => part.startsWith('Promises'))!;
  return rowsOf(chapter).flatMap(([promise, shown]) => {
    const files = [...shown!.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file!);
    const titles = [...shown!.matchAll(/“([^”]+)”/g)].map(([, title]) => title!);
    if (files.length === 0 || titles.length === 0) return [`${promise}: no test`];
    const known = files
      .map((file) => join(ROOT, file))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    return titles
      .filter((title) => !known.includes(`'${title}'`))
      .map((title) => `${promise}: no test “${title}”`);
  });
}

describe('docs/secrecy.md', () => {
  const text = documents().get('docs/secrecy.md')!;

  it('names existing tests for each promise', () => {
    expect(rowsOf(text).length).toBeGreaterThan(25);
    expect(faultsOf(text)).toEqual([]);
  });

  it.each([
    ['a missing test', 'may not: %s', 'may not read'],
    ['a part of a title', '“may not: %s”', '“may not”'],
    ['a promise without a test', /`test\/audit\/actions[^|]+/, 'trust us '],
  ])('%s is reported', (_what, from, to) => {
    expect(faultsOf(text.replace(from, to))).toHaveLength(1);
  });
});
