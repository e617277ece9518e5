import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { THIS_RELEASE } from '../../http/child-process';

const run = promisify(execFile);

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
    const commit = RELEASES[version];
    const git = (...args: string[]) => run('git', ['-C', THIS_RELEASE, ...args]);
    const folder = await mkdtemp(join(tmpdir(), 'mandat-release-'));
    await git('archive', '--format=tar', `--output=${join(folder, 'release.tar')}`, commit);
    await run('tar', ['-xf', 'release.tar'], { cwd: folder });
    await symlink(join(THIS_RELEASE, 'node_modules'), join(folder, 'node_modules'));
    // Its types were checked when it was made.
    const tsc = join(THIS_RELEASE, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, '-p', 'tsconfig.product.json', '--noCheck'], { cwd: folder });
    return new EarlierRelease(folder);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
