import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionError, ProblemError } from './errors.js';

/** A wait before the next attempt, for `onWait`. */
export interface Wait {
  readonly seconds: number;
  /** Number of attempts so far. */
  readonly attempt: number;
  /** Status of the last response; undefined if the connection broke. */
  readonly status: number | undefined;
}

export interface TransportOptions {
  /** Address of the service. */
  readonly address: string;
  /** Maximum number of attempts; 5 if absent. */
  readonly attempts?: number;
  /** Maximum `Retry-After` that the client waits for, in seconds; 60 if absent. */
  readonly maxWaitSeconds?: number;
  /** Called before each wait. */
  readonly onWait?: (wait: Wait) => void;
  /** Replaces the timer. The caller's signal ends the wait early. */
  readonly sleep?: (seconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A request that can be sent several times. */
interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** Kept, because its signal follows the caller's only while the request is referenced. */
  readonly request: Request;
  /** Whether a second attempt has no further effect. */
  readonly isRepeatable: boolean;
}

const FIRST_WAIT_SECONDS = 0.25;
/** Statuses of a proxy whose service does not respond. */
const GATEWAY = [502, 503, 504];
/** Types of the service's successful answers: others come from something else at the address. */
const ANSWERS = ['application/json', 'application/x-tar', 'application/x-ndjson'];

/**
 * Returns a `fetch` that repeats a failed request if that is safe and otherwise throws. It returns a response after its
 * body has arrived, because an interrupted body is repeated like an interrupted request.
 *
 * @throws ProblemError, ConnectionError
 */
export function transport(options: TransportOptions): typeof globalThis.fetch {
  const { attempts = 5, onWait } = options;
  const sleep =
    options.sleep ??
    ((seconds: number, signal: AbortSignal) => delay(seconds * 1_000, undefined, { signal }));
  return async (input, init) => {
    const sent = await readOnce(new Request(input, init));
    for (let attempt = 1; ; attempt++) {
      const answer = await exchange(sent, options);
      if (answer instanceof Response) return answer;
      const seconds = attempt < attempts ? secondsBefore(answer, sent, attempt, options) : undefined;
      if (seconds === undefined) throw answer;
      onWait?.({ seconds, attempt, status: answer.status });
      try {
        await sleep(seconds, sent.request.signal);
      } finally {
        // The caller gets the reason of its signal, not the error of the timer.
        sent.request.signal.throwIfAborted();
      }
    }
  };
}

async function readOnce(request: Request): Promise<Sent> {
  const { url, method, headers } = request;
  const isRepeatable = method === 'POST' ? headers.has('idempotency-key') : method !== 'PATCH';
  const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
  return { url, method, headers, body, request, isRepeatable };
}

/** Sends a request once and returns the successful response, or the error to throw. */
async function exchange(
  sent: Sent,
  { address, fetch = globalThis.fetch }: TransportOptions,
): Promise<Response | ProblemError | ConnectionError> {
  const { url, method, headers, body, isRepeatable } = sent;
  const { signal } = sent.request;
  try {
    // Redirects are not followed, because the key in the headers is for this address only.
    const init = { method, headers, signal, redirect: 'manual' as const };
    const response = await fetch(url, body ? { ...init, body } : init);
    const bytes = await response.arrayBuffer();
    return answerOf(response, bytes, sent, address);
  } catch (cause) {
    // The caller ended the request; the connection did not fail.
    signal.throwIfAborted();
    const code = codeOf(cause);
    const wasSent = !hasNeverConnected(cause);
    const message = wasSent
      ? `The connection to ${address} broke (${code})`
      : `No connection to ${address} (${code})`;
    return new ConnectionError(message, { repeatable: isRepeatable || !wasSent, cause });
  }
}

function answerOf(
  response: Response,
  bytes: ArrayBuffer,
  { isRepeatable }: Sent,
  address: string,
): Response | ProblemError | ConnectionError {
  const { status, statusText, headers } = response;
  const isEmpty = bytes.byteLength === 0;
  const whole = new Response(isEmpty ? null : bytes, { status, statusText, headers });
  const type = headers.get('content-type')?.split(';')[0];
  if (response.ok && (isEmpty || (type && ANSWERS.includes(type)))) return whole;
  if (status === 304) return new ProblemError({ title: 'Not Modified' }, whole);
  const problem = type === 'application/problem+json' ? parse(bytes) : undefined;
  if (problem) return new ProblemError(problem, whole);
  const message = `What answers at ${address} is not Mandat (${status}${type ? `, ${type}` : ''})`;
  return new ConnectionError(message, { repeatable: isRepeatable, status });
}

function parse(bytes: ArrayBuffer): object | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the seconds to wait before the next attempt, or undefined if the request must not be repeated. */
function secondsBefore(
  error: ProblemError | ConnectionError,
  { isRepeatable }: Sent,
  attempt: number,
  { maxWaitSeconds = 60 }: TransportOptions,
): number | undefined {
  const later = FIRST_WAIT_SECONDS * 2 ** (attempt - 1);
  if (error instanceof ConnectionError) {
    if (error.status !== undefined) return isRepeatable && GATEWAY.includes(error.status) ? later : undefined;
    // Without a connection at the first attempt the address is wrong; at a later one the service may be restarting.
    const isLost = !hasNeverConnected(error.cause) || attempt > 1;
    return isRepeatable && isLost ? later : undefined;
  }
  const mayRepeat =
    // The service rejects it before any work.
    error.status === 429 ||
    (isRepeatable && GATEWAY.includes(error.status)) ||
    // The first attempt with this key lost its connection and is still running.
    (isRepeatable && error.code === 'Idempotence.EnCours');
  if (!mayRepeat) return undefined;
  const seconds = secondsToWait(error.response.headers.get('retry-after')) ?? later;
  return seconds <= maxWaitSeconds ? seconds : undefined;
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3). */
function secondsToWait(retryAfter: string | null): number | undefined {
  if (!retryAfter) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1_000));
}

/**
 * Returns true if no connection was made, which means that nothing was sent. The code alone does not decide this: an
 * unreachable host gives the same code before and after the request was sent.
 */
function hasNeverConnected(error: unknown): boolean {
  const { code, syscall, errors, cause } = error as Record<'code' | 'syscall' | 'errors' | 'cause', unknown>;
  // Node tried each address of the host.
  if (Array.isArray(errors) && errors.length > 0) return errors.every(hasNeverConnected);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || syscall === 'connect' || syscall === 'getaddrinfo') return true;
  return Boolean(cause) && hasNeverConnected(cause);
}

/** Returns the code of Node's error, which is the cause of the error that `fetch` throws. */
function codeOf(error: unknown): string {
  const { code, message, cause } = error as { code?: unknown; message?: string; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause ? codeOf(cause) : (message ?? 'unknown');
}
