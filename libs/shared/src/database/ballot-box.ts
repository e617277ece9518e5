import type { QueryRunner } from 'typeorm';
import { APP_ROLE, BALLOT_BOX_ROLE } from './connections';

/** The tenant of the transaction, in a function of the ballot box. */
export const BOX_TENANT = `nullif(current_setting('app.tenant_id', true), '')::uuid`;

/**
 * Whether the box of campaign `c` was closed for good: by a transaction that has ended. One that closes, counts and rolls
 * back would otherwise look into the box before each vote, and leave no trace.
 */
export const BOX_CLOSED = `c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned()`;

/** A function of the role that counts ballots. */
export interface BoxFunction {
  /** `name(types)` */
  readonly signature: string;
  /** What follows the function's name in its definition: arguments and result. */
  readonly shape: string;
  /** Its language, its volatility and the like. */
  readonly manner: string;
  readonly body: string;
}

/** Those of the functions that have one of the names. */
export function named(functions: readonly BoxFunction[], ...names: readonly string[]): BoxFunction[] {
  return functions.filter(({ signature }) => names.includes(signature.slice(0, signature.indexOf('('))));
}

/**
 * Makes functions that requests may call and that do, as the role of the ballot box, what requests may not (docs/adr/0014).
 * They are bound to the catalogue as it is now, so that nobody's search path and tables of the same name get between.
 */
export async function createBoxFunctions(
  runner: QueryRunner,
  functions: readonly BoxFunction[],
): Promise<void> {
  for (const { signature, shape, manner, body } of functions) {
    const name = signature.slice(0, signature.indexOf('('));
    await runner.query(`CREATE FUNCTION ${name}${shape} ${manner} SECURITY DEFINER
      SET search_path = pg_catalog, public, pg_temp AS $$ ${body} $$`);
    await runner.query(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
    await runner.query(`GRANT EXECUTE ON FUNCTION ${signature} TO ${APP_ROLE}`);
    await runner.query(`ALTER FUNCTION ${signature} OWNER TO ${BALLOT_BOX_ROLE}`);
  }
}

/**
 * Lets a migration own what belongs to the ballot box, while it does `work`. Whoever runs migrations is often who the
 * processes log in as: afterwards nobody can become the role.
 */
export async function asBallotBox(runner: QueryRunner, work: () => Promise<void>): Promise<void> {
  await runner.query(`GRANT ${BALLOT_BOX_ROLE} TO CURRENT_USER`);
  // Whoever is to own a function must be allowed to make one.
  await runner.query(`GRANT CREATE ON SCHEMA public TO ${BALLOT_BOX_ROLE}`);
  await work();
  await runner.query(`REVOKE CREATE ON SCHEMA public FROM ${BALLOT_BOX_ROLE}`);
  await runner.query(`REVOKE ${BALLOT_BOX_ROLE} FROM CURRENT_USER`);
}
