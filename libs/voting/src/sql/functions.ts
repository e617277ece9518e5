import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { asBallotBox, secureFunction } from './ballot-box';

/** The sources, not the compiled folder: tsc copies no .sql, and the image has them at the same place. */
const SOURCES = join(__dirname, '../../../../../libs/voting/src');

/** A function of the database as its file defines it. */
export interface SqlFunction {
  readonly name: string;
  /** `CREATE OR REPLACE FUNCTION …` with the comments before it. */
  readonly definition: string;
}

/** Returns the functions of all subjects, in the order of their names. */
export function sqlFunctions(): SqlFunction[] {
  return globSync('*/sql/*.sql', { cwd: SOURCES })
    .map((file) => ({
      name: basename(file, '.sql'),
      definition: readFileSync(join(SOURCES, file), 'utf8'),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Returns a digest of all functions, without regard to comments and white space. */
export function digestOf(functions: readonly SqlFunction[]): string {
  const text = functions
    .map(({ definition }) => definition.replaceAll(/^\s*--.*$/gm, '').replaceAll(/\s+/g, ' '))
    .join('\n');
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Creates or replaces all functions, if `digest` is that of the files. If it is not, a later migration creates them from
 * these files, and this one does nothing (docs/adr/0032).
 */
export async function replaceFunctions(runner: QueryRunner, digest: string): Promise<void> {
  const functions = sqlFunctions();
  if (digestOf(functions) !== digest) return;
  await asBallotBox(runner, async () => {
    for (const { name, definition } of functions) {
      await runner.query(definition);
      await secureFunction(runner, name);
    }
  });
}
