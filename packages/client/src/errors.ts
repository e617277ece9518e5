/** A fault of a request. */
export interface Fault {
  /** JSON pointer into the body, `?name` for a query parameter, `{name}` for a part of the path. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** Problem details (RFC 9457). */
interface Problem {
  readonly type?: string;
  readonly title?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly code?: string;
  readonly instance?: string;
  readonly traceId?: string;
  readonly errors?: readonly Fault[];
  readonly module?: string;
}

/** The service rejected the request. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** Error code; undefined for 304, which is not an error of the service. */
  readonly code: string | undefined;
  /** Address of the code's documentation. */
  readonly type: string | undefined;
  readonly title: string;
  readonly detail: string;
  /** Every fault of an invalid request; empty for other errors. */
  readonly errors: readonly Fault[];
  /** The module that is not active, for `Module.NonActif`. */
  readonly module: string | undefined;
  /** Identifies the request in the operator's logs. */
  readonly requestId: string | undefined;
  readonly traceId: string | undefined;

  constructor(
    problem: Problem,
    readonly response: Response,
  ) {
    const { errors = [], code } = problem;
    const title = problem.title ?? response.statusText;
    const detail = problem.detail ?? title;
    const said = errors.map((fault) => `${fault.pointer} ${fault.detail}`).join('; ');
    super(`${response.status} ${code ?? title}: ${said || detail}`);
    this.status = response.status;
    this.code = code;
    this.type = problem.type;
    this.title = title;
    this.detail = detail;
    this.errors = errors;
    this.module = problem.module;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.traceId = problem.traceId;
  }
}

/** Thrown if no response arrived, or another server responded: see the message. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** Whether a repetition cannot do the work twice. */
  readonly repeatable: boolean;
  /** Status of the other server's response. */
  readonly status: number | undefined;

  constructor(message: string, options: { repeatable: boolean; status?: number; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.repeatable = options.repeatable;
    this.status = options.status;
  }
}
