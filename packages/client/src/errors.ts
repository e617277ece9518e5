/** One thing that is wrong with a request. */
export interface Fault {
  /** JSON pointer into the body, `?name` for a query parameter, `{name}` for a part of the path. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** The body of a refusal (RFC 9457). */
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

/** The service refused the request. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** Which error it is, for programs; undefined for 304, which is none of the service's errors. */
  readonly code: string | undefined;
  /** Address of the code's documentation. */
  readonly type: string | undefined;
  readonly title: string;
  readonly detail: string;
  /** Every fault of an invalid request; empty for other refusals. */
  readonly errors: readonly Fault[];
  /** The module that is not active, where that is the reason. */
  readonly module: string | undefined;
  /** What the operator finds the request by. */
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

/** There is no answer, or none of the service's: the message says which. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** Whether the request can be sent again without its work being done twice. */
  readonly repeatable: boolean;
  /** Status of what answered instead of the service. */
  readonly status: number | undefined;

  constructor(message: string, options: { repeatable: boolean; status?: number; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.repeatable = options.repeatable;
    this.status = options.status;
  }
}
