import type { QueryRunner } from 'typeorm';
import { APP_ROLE, BALLOT_BOX_ROLE } from '#platform/database/roles';

/** The tenant of the transaction, in a function of the ballot box. */
export const BOX_TENANT = `nullif(current_setting('app.tenant_id', true), '')::uuid`;

/**
 * SQL condition: a committed transaction has closed the ballot box of campaign `c`. A transaction that closes the box
 * itself sees it open. It could otherwise close, count and roll back before each vote, without a trace.
 */
export const BOX_CLOSED = `c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned()`;

/** A function of the role that counts ballots. */
export interface BoxFunction {
  /** `name(types)` */
  readonly signature: string;
  /** Arguments and result, which follow the function's name in its definition. */
  readonly shape: string;
  /** Language, volatility and settings. */
  readonly manner: string;
  readonly body: string;
}

/** Returns the functions that have one of the names. */
export function named(functions: readonly BoxFunction[], ...names: readonly string[]): BoxFunction[] {
  return functions.filter(({ signature }) => names.includes(signature.slice(0, signature.indexOf('('))));
}

/**
 * Creates functions that requests may call and that run with the rights of the ballot box's role (docs/adr/0014). Their
 * search path is fixed, because a caller's search path could otherwise substitute tables of the same name.
 */
export async function createBoxFunctions(
  runner: QueryRunner,
  functions: readonly BoxFunction[],
): Promise<void> {
  for (const { signature, shape, manner, body } of functions) {
    const name = signature.slice(0, signature.indexOf('('));
    await runner.query(`CREATE FUNCTION ${name}${shape} ${manner} SECURITY DEFINER
      SET search_path = pg_catalog, public, pg_temp AS $$ ${body} $$`);
    await secureFunction(runner, signature);
  }
}

/** Lets only requests call a function, and makes the ballot box's role its owner. */
export async function secureFunction(runner: QueryRunner, signature: string): Promise<void> {
  await runner.query(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
  await runner.query(`GRANT EXECUTE ON FUNCTION ${signature} TO ${APP_ROLE}`);
  await runner.query(`ALTER FUNCTION ${signature} OWNER TO ${BALLOT_BOX_ROLE}`);
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
