import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Writes the files of a commit of the clone `root` into an empty folder. */
export async function extract(root: string, commit: string, folder: string): Promise<void> {
  await run('git', ['-C', root, 'archive', '--format=tar', `--output=${join(folder, 'commit.tar')}`, commit]);
  await run('tar', ['-xf', 'commit.tar'], { cwd: folder });
}

/** Lets extracted files use the installed packages of `root`. */
export async function sharePackages(root: string, folder: string): Promise<void> {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/** Builds the product of extracted files that have packages. Its types were checked when it was made. */
export async function build(folder: string): Promise<void> {
  const tsc = join(folder, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', 'tsconfig.product.json', '--noCheck'], { cwd: folder });
}
