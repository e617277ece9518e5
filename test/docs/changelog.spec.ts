import { textOf } from '../deployment/support/files';
import { RELEASES } from '../reliability/support/earlier-release';

const CHANGELOG = textOf('CHANGELOG.md');
/** Versions and days of its releases, the newest first. */
const releases = [...CHANGELOG.matchAll(/^## \[(.+)\] - (.+)$/gm)].map(([, version, day]) => ({
  version: version!,
  day: day!,
}));
const versionOf = (path: string): string => (JSON.parse(textOf(path)) as { version: string }).version;

describe('CHANGELOG.md', () => {
  it('begins with the version of the packages', () => {
    const packages = [
      '.',
      'packages/client',
      'packages/verify',
      'packages/cli',
      'packages/ballot',
      'packages/guardian',
    ].map((folder) => `${folder}/package.json`);
    expect(packages.map(versionOf)).toEqual(packages.map(() => releases[0]!.version));
    const [, forPython] = /^version = "(.+)"$/m.exec(textOf('packages/client-python/pyproject.toml'))!;
    expect(forPython).toBe(releases[0]!.version);
  });

  it('has a section for each release, newest first, in the form of Keep a Changelog', () => {
    // Changes that are not released are above the releases.
    expect(CHANGELOG.replace(/^## \[Unreleased\]$/m, '').match(/^## /gm)).toHaveLength(releases.length);
    const ordered = [...releases].sort(
      (a, b) => b.day.localeCompare(a.day) || b.version.localeCompare(a.version, 'en', { numeric: true }),
    );
    expect(releases).toEqual(ordered);
    for (const { version, day } of releases) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(new Date(day).toISOString().slice(0, 10)).toBe(day);
    }
  });

  it('has every release from which the trial of the upgrade starts', () => {
    expect(releases.map(({ version }) => version)).toEqual(expect.arrayContaining(Object.keys(RELEASES)));
  });
});
