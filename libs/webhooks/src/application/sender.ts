import { setTimeout as wait } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
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

/** A result about the name comes after a multiple of this time, because faster results are those of internal names. */
const NAME_RESULT_MS = 1_000;

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

  /**
   * Makes one attempt, within a time that begins before the name lookup. A status counts as soon as it arrives, even if the
   * body fails later. Never throws; a failure is part of the result.
   */
  async post(url: string, headers: Record<string, string>, body: string | Buffer): Promise<Answer> {
    // It may have been registered while insecure addresses were allowed.
    const fault = this.fault(url);
    if (fault) return noAnswer(`Not sent: the address ${fault}.`);
    const start = performance.now();
    const outOfTime = new AbortController();
    const { signal } = outOfTime;
    const timer = setTimeout(() => outOfTime.abort(), this.timeoutMs);
    try {
      const answer = await Promise.race([
        request(url, { method: 'POST', headers, body, dispatcher: this.agent, signal }),
        // While it looks up the name and connects, the request does not react to its signal.
        new Promise<never>((_resolve, reject) => signal.addEventListener('abort', reject)),
      ]);
      const reponse = await startOf(answer.body);
      const retryAfter = [answer.headers['retry-after']].flat()[0];
      return { statut: answer.statusCode, reponse, retryAfter, timedOut: signal.aborted };
    } catch (error) {
      if (error instanceof AddressRefused) {
        await wait(NAME_RESULT_MS - ((performance.now() - start) % NAME_RESULT_MS));
        return noAnswer(`Not sent: ${error.message}`);
      }
      if (!signal.aborted) return failure(error);
      return { ...noAnswer(`No answer within ${this.timeoutMs / 1_000} s.`), timedOut: true };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connections. Call it when no attempt is running. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** Returns the stored part of a response. Reads on to the end of a response that is not too long. Never throws. */
async function startOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (bytes < KEPT_BYTES) kept.push(Buffer.from(chunk.subarray(0, KEPT_BYTES - bytes)));
      bytes += chunk.length;
      if (bytes > DRAINED_BYTES) break;
    }
  } catch {
    // The part that has arrived is kept.
  }
  // Drops an incomplete last character, and U+0000, which PostgreSQL cannot store.
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true }).replaceAll('\0', '');
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
  const code = (error as { code?: string }).code ?? '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return { ...noAnswer('The address does not answer.'), timedOut: true };
  return noAnswer(REASONS[code] ?? `The connection failed (${code || 'unknown reason'}).`);
}
