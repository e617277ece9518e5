import { Agent, type Dispatcher } from 'undici';
import {
  AddressRefused,
  addressFault,
  createResolver,
  guardedConnector,
  insecureAddressFault,
  type Resolve,
} from './address-guard';

/** Result of one attempt. */
export interface Answer {
  /** HTTP status; null without a response in time. */
  readonly statut: number | null;
  /** The first kilobyte of the response, or the error. */
  readonly reponse: string;
  readonly retryAfter?: string | undefined;
  /** Whether the attempt timed out: the receiver hangs or is unreachable. */
  readonly timedOut: boolean;
}

export interface SenderOptions {
  /** Allows http and every host, for development. */
  readonly allowInsecure: boolean;
  /** Time limit of one attempt, from the name lookup to the last byte of the response. */
  readonly timeoutMs?: number;
  /** Name servers, if not the system's. */
  readonly resolve?: Resolve;
}

const TIMEOUT_MS = 15_000;

/** Size of the stored part of a response. */
const KEPT_BYTES = 1_024;

/** Responses up to this size are read to the end, because the connection can then be reused. */
const DRAINED_BYTES = 65_536;

/** Posts events to endpoints: one attempt each, no redirects, to public addresses only. */
export class Sender {
  private readonly agent: Agent;
  private readonly timeoutMs: number;
  readonly fault: (url: string) => string | undefined;

  constructor({ allowInsecure, timeoutMs = TIMEOUT_MS, resolve = createResolver() }: SenderOptions) {
    this.timeoutMs = timeoutMs;
    this.fault = allowInsecure ? insecureAddressFault : addressFault;
    // No limit of connections to a host, because endpoints of several clients may share it, and one of them may hang.
    this.agent = new Agent({
      ...(allowInsecure ? { connect: { allowH2: false } } : { connect: guardedConnector(resolve) }),
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Makes one attempt. Never throws; a failure is part of the result. */
  post(url: string, headers: Record<string, string>, body: string): Promise<Answer> {
    // It may have been registered while insecure addresses were allowed.
    const fault = this.fault(url);
    if (fault) return Promise.resolve(noAnswer(`Not sent: the address ${fault}.`));
    const { origin, pathname, search } = new URL(url);
    return new Promise((resolve) => {
      const exchange = new Exchange(this.timeoutMs, resolve);
      this.agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, exchange);
    });
  }

  /** Closes the connections. Call it when no attempt is running. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/**
 * One request and the stored part of its response, within a time that begins before the name lookup. A status counts as
 * soon as it arrives, even if the body fails later.
 */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private isOver = false;
  private statut: number | null = null;
  private retryAfter: string | undefined;
  private kept: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly timeoutMs: number,
    private readonly resolve: (answer: Answer) => void,
  ) {
    this.timer = setTimeout(() => this.end(true), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // The connection was made after the attempt had ended.
    if (this.isOver) controller.abort(new Error('out of time'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Interim responses, for example 103 Early Hints.
    if (statusCode < 200) return;
    this.statut = statusCode;
    this.retryAfter = single(headers['retry-after']);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.bytes < KEPT_BYTES) this.kept.push(Buffer.from(chunk.subarray(0, KEPT_BYTES - this.bytes)));
    this.bytes += chunk.length;
    if (this.bytes > DRAINED_BYTES) this.end(false);
  }

  onResponseEnd(): void {
    this.end(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end(false, error);
  }

  private end(timedOut: boolean, error?: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    this.resolve(this.answer(timedOut, error));
    // The response has ended already.
    if (timedOut || this.bytes > DRAINED_BYTES) this.controller?.abort(new Error('not needed'));
  }

  private answer(timedOut: boolean, error: Error | undefined): Answer {
    if (this.statut === null) {
      if (timedOut) return { ...noAnswer(`No answer within ${this.timeoutMs / 1_000} s.`), timedOut };
      return failure(error);
    }
    // Drops an incomplete last character, and U+0000, which PostgreSQL cannot store.
    const reponse = new TextDecoder().decode(Buffer.concat(this.kept), { stream: true }).replaceAll('\0', '');
    return { statut: this.statut, reponse, retryAfter: this.retryAfter, timedOut };
  }
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function noAnswer(reponse: string): Answer {
  return { statut: null, reponse, timedOut: false };
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before an answer.',
  EPIPE: 'The connection was closed before an answer.',
  UND_ERR_SOCKET: 'The connection was closed before an answer.',
  ENOTFOUND: 'The name has no address.',
  ENODATA: 'The name has no address.',
  EHOSTUNREACH: 'The address cannot be reached.',
  ENETUNREACH: 'The address cannot be reached.',
};

function failure(error: unknown): Answer {
  if (error instanceof AddressRefused) return noAnswer(`Not sent: ${error.message}`);
  const code = (error as { code?: string }).code ?? '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return { ...noAnswer('The address does not answer.'), timedOut: true };
  return noAnswer(REASONS[code] ?? `The connection failed (${code || 'unknown reason'}).`);
}
