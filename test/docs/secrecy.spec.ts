import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documents, ROOT, rowsOf } from './markdown';

/** Promises that name no test, and titles that no test of the files named before them has. */
function faultsOf(text: string): string[] {
  const chapter = text.split(/^## /m).find((part) => part.startsWith('Promises'))!;
  return rowsOf(chapter).flatMap(([promise, shown]) => {
    const files = [...shown!.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file!);
    const titles = [...shown!.matchAll(/“([^”]+)”/g)].map(([, title]) => title!);
    if (files.length === 0 || titles.length === 0) return [`${promise}: nothing shows it`];
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

  it('names for each promise tests that there are', () => {
    expect(rowsOf(text).length).toBeGreaterThan(25);
    expect(faultsOf(text)).toEqual([]);
  });

  it.each([
    ['a test that is not there', 'may not: %s', 'may not read'],
    ['a part of a title', '“may not: %s”', '“may not”'],
    ['a promise without a test', /`test\/audit\/actions[^|]+/, 'trust us '],
  ])('%s is seen', (_what, from, to) => {
    expect(faultsOf(text.replace(from, to))).toHaveLength(1);
  });
});
