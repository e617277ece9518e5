/** SQLSTATEs (PostgreSQL, appendix "Error Codes") that the service handles. */
export const UNIQUE_VIOLATION = '23505';
export const FOREIGN_KEY_VIOLATION = '23503';
export const CHECK_VIOLATION = '23514';
/** A wait for a lock exceeded `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03';
const SERIALIZATION_FAILURE = '40001';
const TRANSIENT = new Set([SERIALIZATION_FAILURE, '40P01']);
/** The function `espace_ecrire` refuses a write, because the data space is being moved to another cell. */
const BEING_MOVED = 'MV001';
/** Cancelled by a time limit, or refused because the server is full, out of space, starting, stopping or read-only. */
const UNAVAILABLE = /^(57014|55P03|53\d{3}|57P0\d|08\d{3}|25006|25P0[34]|MV001)$/;
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

interface DatabaseErrorFields {
  code?: string;
  constraint?: string;
  severity?: string;
  driverError?: DatabaseErrorFields;
  message?: string;
}

function fieldsOf(error: unknown): DatabaseErrorFields {
  const fields = Object(error) as DatabaseErrorFields;
  // TypeORM wraps what the driver threw.
  return fields.driverError ?? fields;
}

/** Wrong password, unknown database. */
const NO_LOGIN = ['28P01', '3D000'];

/** Why no connection could be made, by an error of the driver or of PostgreSQL; undefined for other errors. */
export function connectionFault(error: unknown): string | undefined {
  const { code = '', message } = fieldsOf(error);
  const isTimeout =
    message === 'timeout expired' || message === 'Connection terminated due to connection timeout';
  if (!NETWORK.has(code) && !NO_LOGIN.includes(code) && !isTimeout) return undefined;
  // A name with several addresses has an error for each, and none of its own.
  const [first] = (fieldsOf(error) as { errors?: Error[] }).errors ?? [];
  return first?.message || message || code;
}

/** The SQLSTATE of an error that PostgreSQL reported, else undefined. */
export function sqlState(error: unknown): string | undefined {
  const { code } = fieldsOf(error);
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !NETWORK.has(code) ? code : undefined;
}

/** Whether `error` is the breach of one named constraint. */
export function violates(error: unknown, state: string, constraint: string): boolean {
  return sqlState(error) === state && fieldsOf(error).constraint === constraint;
}

/** A deadlock or a serialisation failure: the same work succeeds when tried again. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT.has(sqlState(error) ?? '');
}

/** The connection does not have the named statement: the one that was to prepare it failed. */
export function isUnprepared(error: unknown): boolean {
  return ['26000', '42P05'].includes(sqlState(error) ?? '');
}

/** The work ran into a limit of time, of a statement or of the transaction: the same work would again. */
export function ranOutOfTime(error: unknown): boolean {
  return ['57014', '25P04'].includes(sqlState(error) ?? '');
}

/** Whether a read that failed on a standby may succeed on the primary. One that took too long would take as long there. */
export function mayPassOnPrimary(error: unknown): boolean {
  return !ranOutOfTime(error) && (sqlState(error) !== undefined || isUnavailable(error));
}

/** The server's disk is full. Writes are refused until there is space. */
export function ranOutOfSpace(error: unknown): boolean {
  return sqlState(error) === '53100';
}

/** The data space is being moved to another cell: nothing was written. */
export function isBeingMoved(error: unknown): boolean {
  return sqlState(error) === BEING_MOVED;
}

/** Another transaction has changed what this one had read. The work is tried again, as after a serialisation failure. */
export class Overtaken extends Error {
  readonly code = SERIALIZATION_FAILURE;
}

/** The connection broke while COMMIT was under way: the work may have been committed or undone. */
export class OutcomeUnknown extends Error {}

/** The connection broke, or the server closes it with this error (a FATAL one, such as its own end). */
export function endsConnection(error: unknown): boolean {
  return sqlState(error) === undefined || fieldsOf(error).severity === 'FATAL';
}

/** The database is out of reach, too busy or cancelled the statement: nothing is wrong with the request. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  // The server or a pooler refused or ended the connection: it is lost, full, without this database, or refuses the login.
  if (state && fieldsOf(error).severity === 'FATAL') return true;
  if (state) return UNAVAILABLE.test(state) || TRANSIENT.has(state);
  const { code, message } = fieldsOf(error);
  return (
    NETWORK.has(code ?? '') ||
    /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Client was closed|Query runner already released)/.test(
      message ?? '',
    )
  );
}
