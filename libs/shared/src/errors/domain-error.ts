import { type ErrorCode } from './error-codes';

/** One fault of a request: where, which rule, and what to do. */
export interface InputFault {
  /** JSON pointer into the body (`/courriel`), or `?name` for a query parameter, or `{name}` for a part of the path. */
  pointer: string;
  /** Short name of the broken rule, for programs: `required`, `unknown`, `type`, `length`… */
  code: string;
  /** What is wrong, in words. */
  detail: string;
}

/**
 * A refusal by a rule. It knows its code and nothing of HTTP: the exception filter finds the status in ERROR_CODES.
 */
export class DomainError extends Error {
  constructor(
    readonly code: ErrorCode,
    /** What happened in this case and what to do; never personal data beyond what the caller sent. */
    detail: string,
    readonly members: { errors?: InputFault[]; module?: string; retryAfterSeconds?: number } = {},
  ) {
    super(detail);
  }
}

/** What one answer lists, so that it is never much larger than its request. */
const MOST_FAULTS = 100;

/** The 400 that lists every fault of a request at once, the first hundred if there are more. */
export function invalidRequest(errors: InputFault[]): DomainError {
  const first = errors[0];
  const only = errors.length === 1 ? first : undefined;
  const detail = only
    ? `${only.pointer ? `${only.pointer}: ` : ''}${only.detail}`
    : `The request has ${errors.length} faults, see errors${errors.length > MOST_FAULTS ? ` for the first ${MOST_FAULTS}` : ''}.`;
  return new DomainError('Requete.Invalide', detail, { errors: errors.slice(0, MOST_FAULTS) });
}
