import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { APP_ROLE, BALLOT_BOX_ROLE } from './roles';

/** The sources, not the compiled folder: tsc copies no .sql, and the image has them at the same place. */
const ROOT = join(__dirname, '../../../../..');

/** Functions of contexts, those of subjects of voting, and those that belong to no context. */
const FILES = ['libs/*/src/sql/*.sql', 'libs/*/src/*/sql/*.sql', 'migrations/functions/*.sql'];

/** A function of the database as its file defines it. */
export interface SqlFunction {
  readonly name: string;
  /** `CREATE OR REPLACE FUNCTION …` with the comments before it, and its rights and its comment after it. */
  readonly definition: string;
  /** Whether the role of the ballot box owns it (docs/adr/0014): those of voting. */
  readonly ofBallotBox: boolean;
}

/** Returns the functions of all files, in the order of their names. */
export function sqlFunctions(): SqlFunction[] {
  return globSync(FILES, { cwd: ROOT })
    .map((file) => ({
      name: basename(file, '.sql'),
      definition: readFileSync(join(ROOT, file), 'utf8'),
      ofBallotBox: file.startsWith('libs/voting/'),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Returns a digest of all functions, without regard to comments and white space. */
export function digestOf(functions: readonly SqlFunction[]): string {
  const text = functions
    .map(({ definition }) =>
      definition
        .replaceAll(/^\s*--.*$/gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .join('\n');
  return createHash('sha256').update(text).digest('hex');
}

/** Creates or replaces functions as their files define them: all, or those of the names. */
export async function createFunctions(runner: QueryRunner, ...names: readonly string[]): Promise<void> {
  const functions = sqlFunctions().filter(({ name }) => names.length === 0 || names.includes(name));
  // Their bodies may name each other, and tables of a later migration.
  await runner.query('SET LOCAL check_function_bodies = off');
  for (const { definition } of functions.filter(({ ofBallotBox }) => !ofBallotBox))
    await runner.query(definition);
  const ofBallotBox = functions.filter((each) => each.ofBallotBox);
  if (ofBallotBox.length > 0)
    await asBallotBox(runner, async () => {
      for (const { name, definition } of ofBallotBox) {
        await runner.query(definition);
        await secureFunction(runner, name);
      }
    });
}

/**
 * Creates or replaces all functions, if `digest` is that of the files. If it is not, a later migration creates them from
 * these files, and this one does nothing (docs/adr/0032).
 */
export async function replaceFunctions(runner: QueryRunner, digest: string): Promise<void> {
  if (digestOf(sqlFunctions()) === digest) await createFunctions(runner);
}

/** Lets only requests call a function, and makes the role of the ballot box its owner. */
async function secureFunction(runner: QueryRunner, name: string): Promise<void> {
  await runner.query(`REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`);
  await runner.query(`GRANT EXECUTE ON FUNCTION ${name} TO ${APP_ROLE}`);
  await runner.query(`ALTER FUNCTION ${name} OWNER TO ${BALLOT_BOX_ROLE}`);
}

/**
 * Gives a migration the role of the ballot box while it does `work`. The role is revoked afterwards, because the
 * processes often log in as the user that runs migrations and must not be able to take the role.
 */
export async function asBallotBox(runner: QueryRunner, work: () => Promise<void>): Promise<void> {
  await runner.query(`GRANT ${BALLOT_BOX_ROLE} TO CURRENT_USER`);
  // The new owner of a function needs the right to create one in its schema.
  await runner.query(`GRANT CREATE ON SCHEMA public TO ${BALLOT_BOX_ROLE}`);
  await work();
  await runner.query(`REVOKE CREATE ON SCHEMA public FROM ${BALLOT_BOX_ROLE}`);
  await runner.query(`REVOKE ${BALLOT_BOX_ROLE} FROM CURRENT_USER`);
}
