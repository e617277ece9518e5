import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionError, ProblemError } from './errors.js';

/** What is told before the client waits. */
export interface Wait {
  readonly seconds: number;
  /** How often the request has been sent so far. */
  readonly attempt: number;
  /** What it was answered; undefined where the connection broke. */
  readonly status: number | undefined;
}

export interface TransportOptions {
  /** Address of the service. */
  readonly address: string;
  /** How often a request is sent at most; 5 if absent. */
  readonly attempts?: number;
  /** The longest `Retry-After` that is waited for; 60 if absent. */
  readonly maxWaitSeconds?: number;
  /** Told before each wait. */
  readonly onWait?: (wait: Wait) => void;
  /** How to wait; the caller's signal ends it early. */
  readonly sleep?: (seconds: number, signal: AbortSignal) => Promise<unknown>;
  /** How to send. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A request as it is sent once and again. */
interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** Its signal aborts with the caller's only as long as the request itself is held. */
  readonly request: Request;
  /** Whether doing it twice is doing it once. */
  readonly isRepeatable: boolean;
}

const FIRST_WAIT_SECONDS = 0.25;
/** What a proxy answers for a service that does not. */
const GATEWAY = [502, 503, 504];

/**
 * A `fetch` that answers successes only. It waits and sends again where that is safe, and otherwise throws.
 *
 * The body of an answer is read before it is given out: what breaks off in the middle is repeated like what never began.
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
        // With the caller's own reason, whatever the waiting has thrown.
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

/** Sends a request once: a success, or what to throw. */
async function exchange(
  sent: Sent,
  { address, fetch = globalThis.fetch }: TransportOptions,
): Promise<Response | ProblemError | ConnectionError> {
  const { url, method, headers, body, isRepeatable } = sent;
  const { signal } = sent.request;
  try {
    // The key in the headers is for this address: a redirect is not followed to another.
    const init = { method, headers, signal, redirect: 'manual' as const };
    const response = await fetch(url, body ? { ...init, body } : init);
    const bytes = await response.arrayBuffer();
    return answerOf(response, bytes, sent, address);
  } catch (cause) {
    // The caller's own wish, and no fault of the connection.
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
  if (response.ok && (isEmpty || type === 'application/json')) return whole;
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

/** How long to wait before the request is sent again; undefined where it may not be. */
function secondsBefore(
  error: ProblemError | ConnectionError,
  { isRepeatable }: Sent,
  attempt: number,
  { maxWaitSeconds = 60 }: TransportOptions,
): number | undefined {
  const later = FIRST_WAIT_SECONDS * 2 ** (attempt - 1);
  if (error instanceof ConnectionError) {
    if (error.status !== undefined) return isRepeatable && GATEWAY.includes(error.status) ? later : undefined;
    // Nobody there at the first attempt is a wrong address; at a later one, a service that is being started again.
    const isLost = !hasNeverConnected(error.cause) || attempt > 1;
    return isRepeatable && isLost ? later : undefined;
  }
  const mayRepeat =
    // Refused before anything was done.
    error.status === 429 ||
    (isRepeatable && GATEWAY.includes(error.status)) ||
    // The first attempt under the key is still at work: its connection broke, and it goes on.
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
 * Whether no connection was made, so that nothing was sent. A code alone does not say it: a host that can no longer be
 * reached fails a connection that is being made and one that has sent with the same code.
 */
function hasNeverConnected(error: unknown): boolean {
  const { code, syscall, errors, cause } = error as Record<'code' | 'syscall' | 'errors' | 'cause', unknown>;
  // Of a host with several addresses, each was tried.
  if (Array.isArray(errors) && errors.length > 0) return errors.every(hasNeverConnected);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || syscall === 'connect' || syscall === 'getaddrinfo') return true;
  return Boolean(cause) && hasNeverConnected(cause);
}

/** The name of what went wrong: of Node's errors, the cause of what `fetch` throws. */
function codeOf(error: unknown): string {
  const { code, message, cause } = error as { code?: unknown; message?: string; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause ? codeOf(cause) : (message ?? 'unknown');
}
