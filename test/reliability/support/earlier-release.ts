import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, extract, sharePackages } from '../../../tools/earlier-build';
import { THIS_RELEASE } from '../../http/child-process';

/** Releases that operators upgrade from, each with the commit that its tag names. */
export const RELEASES = { '0.2.0': 'd85760879817885c9767808c9881778dab927e06' } as const;

/** An earlier release, built from git with the packages of this one. */
export class EarlierRelease {
  private constructor(readonly folder: string) {}

  /** Whether the clone has the commit. */
  static isHere(version: keyof typeof RELEASES): boolean {
    return (
      spawnSync('git', ['-C', THIS_RELEASE, 'cat-file', '-e', `${RELEASES[version]}^{commit}`]).status === 0
    );
  }

  static async build(version: keyof typeof RELEASES): Promise<EarlierRelease> {
    const folder = await mkdtemp(join(tmpdir(), 'mandat-release-'));
    await extract(THIS_RELEASE, RELEASES[version], folder);
    await sharePackages(THIS_RELEASE, folder);
    await build(folder);
    return new EarlierRelease(folder);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
