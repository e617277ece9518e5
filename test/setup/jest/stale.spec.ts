import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const STALE = join(ROOT, 'test/setup/jest/stale.cjs');
const SOME = join(ROOT, 'tools/tests/some.mjs');

/** Runs `assertBuilt` on a folder whose build knows one source. @returns what it refuses */
function refusalOf(source: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandat-stale-'));
  mkdirSync(join(folder, 'dist'));
  const version = createHash('sha256').update('built').digest('hex');
  const info = { fileNames: ['../a.ts', '../node_modules/b.d.ts'], fileInfos: [version, 'other'] };
  writeFileSync(join(folder, 'dist/.tsbuildinfo'), JSON.stringify(info));
  if (source !== undefined) writeFileSync(join(folder, 'a.ts'), source);
  const code = `require(${JSON.stringify(STALE)}).assertBuilt(${JSON.stringify(folder)})`;
  const { stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return /Error: (.*)/.exec(stderr)?.[1] ?? '';
}

describe('a run of Jest', () => {
  it('begins if the sources are those of the build', () => {
    expect(refusalOf('built')).toBe('');
  });

  it.each([
    ['changed', 'changed'],
    ['removed', undefined],
  ])('is refused if a source was %s since', (_what, source) => {
    expect(refusalOf(source)).toMatch(
      /^dist is stale: a\.ts changed since the build\. Run `npm run test:some/,
    );
  });
});

describe('npm run test:some', () => {
  const some = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [SOME, ...args], { cwd: ROOT, encoding: 'utf8' });
    return { status, stderr };
  };

  it.each([
    ['no path', [], /^Usage: npm run test:some/],
    ['an option alone', ['-t', 'title'], /^Usage/],
    ['a path without tests', ['test/votings'], /^No test is at test\/votings\./],
    ['one such path of two', ['test/voting', 'docs'], /^No test is at docs\./],
  ])('with %s exits 2 and runs nothing', (_what, args, text) => {
    expect(some(...args)).toEqual({ status: 2, stderr: expect.stringMatching(text) });
  });
});
