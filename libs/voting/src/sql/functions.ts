import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { asBallotBox, secureFunction } from './ballot-box';

/** The sources, not the compiled folder: tsc copies no .sql, and the image has them at the same place. */
const FOLDER = join(__dirname, '../../../../../libs/voting/src/sql');

/** A function of the database as its file defines it. */
export interface SqlFunction {
  readonly name: string;
  /** `CREATE OR REPLACE FUNCTION …` with the comments before it. */
  readonly definition: string;
}

/** Returns the functions of this folder, in the order of their names. */
export function sqlFunctions(): SqlFunction[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      name: file.slice(0, -'.sql'.length),
      definition: readFileSync(join(FOLDER, file), 'utf8'),
    }));
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
