import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Verifier from '../../../packages/verify/dist/index.js';

export const PACKAGE = join(__dirname, '../../../packages/verify');

/** The built package. It is loaded by its path, because the repository does not depend on it. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
export const verifier = require(join(PACKAGE, 'dist/index.js')) as typeof Verifier;

export type Files = Readonly<Record<string, string | Buffer>>;

/** Writes files to a new folder for the time of some work. */
export function withFiles<T>(files: Files, work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'verify-'));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `mandat-verify` in a folder with the files. */
export const run = (files: Files, args: readonly string[], dist = join(PACKAGE, 'dist')): Run =>
  withFiles(files, (cwd) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(dist, 'main.js'), ...args], {
      cwd,
      encoding: 'utf8',
      timeout: 60_000,
    });
    return { status, stdout, stderr };
  });

/** The object that `--json` writes. */
export interface Report {
  readonly verdict: string;
  readonly erreur?: string;
  readonly nombreDifferences: number;
  readonly differences: readonly {
    fichier: string;
    ligne?: number;
    chiffre: string;
    attendu: string;
    trouve: string;
  }[];
  readonly controles: readonly string[];
  readonly questions: readonly Record<string, unknown>[];
}
