import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { ConfigError } from '../ops/config-error';
import { ACCESS_ROLE, APP_ROLE, ERASURE_ROLE, QUEUE_ROLE } from './roles';

/** The login of the processes where the service makes it; an operator may choose another name. */
export const SERVICE_LOGIN = 'mandat_service';

/** The roles as which processes work, and the only ones that their login needs. */
export const PROCESS_ROLES = [APP_ROLE, ACCESS_ROLE, QUEUE_ROLE, ERASURE_ROLE];

/**
 * Lets the processes log in to a migrated server with a login that owns nothing.
 *
 * @param url that of a superuser
 * @returns the same database for that login
 */
export async function makeServiceLogin(url: string, password: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const login = escapeIdentifier(SERVICE_LOGIN);
    await client.query(`DO $$ BEGIN CREATE ROLE ${login}; EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
    await client.query(`ALTER ROLE ${login} LOGIN NOINHERIT PASSWORD ${escapeLiteral(password)}`);
    await client.query(`GRANT ${PROCESS_ROLES.join(', ')} TO ${login}`);
  } finally {
    await client.end();
  }
  const own = new URL(url);
  own.username = SERVICE_LOGIN;
  own.password = encodeURIComponent(password);
  return own.href;
}

/** Rights of the login, by itself or through a role that it may take. */
const ALLOWED = `
  SELECT bool_or(r.rolsuper) AS "isSuperuser", bool_or(r.rolbypassrls) AS "bypasses", bool_or(
      EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relowner = r.oid AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')
      OR EXISTS (SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE p.proowner = r.oid AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')
      OR EXISTS (SELECT FROM pg_database d WHERE d.datdba = r.oid AND d.datname = current_database())) AS "owns"
  FROM pg_roles r WHERE pg_has_role(session_user, r.oid, 'MEMBER')`;

export interface LoginRights {
  readonly isSuperuser: boolean;
  readonly bypasses: boolean;
  readonly owns: boolean;
}

/**
 * Checks that an intruder in the process could not leave row-level security and the ballot box behind (docs/secrecy.md).
 *
 * @param query asks on a connection of the process
 * @param name of the login, for the message
 * @throws ConfigError which says what the login must not be
 */
export async function assertOwnsNothing(
  query: (text: string) => Promise<LoginRights[]>,
  name = 'DATABASE_URL',
): Promise<void> {
  const [allowed] = await query(ALLOWED);
  const fault = allowed?.isSuperuser
    ? 'is a superuser'
    : allowed?.bypasses
      ? 'may bypass row-level security'
      : allowed?.owns
        ? 'owns the database, tables or functions of it'
        : undefined;
  if (!fault) return;
  throw new ConfigError(
    `The login of ${name} ${fault}, by itself or by a role that it may take. In production give a login that owns nothing ` +
      `and is a member of ${PROCESS_ROLES.join(', ')} only (docs/operations.md, "First installation").`,
  );
}
