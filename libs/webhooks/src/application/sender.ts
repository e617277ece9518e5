import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import {
  AddressRefused,
  addressFault,
  createResolver,
  GuardedAgent,
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

/**
 * Connections wait 4 s for another request. There is no limit of connections to a host, because endpoints of several clients
 * may share it, and one of them may hang.
 */
const KEPT_ALIVE: http.AgentOptions = { keepAlive: true, timeout: 4_000 };

/** Size of the stored part of a response. */
const KEPT_BYTES = 1_024;

/** Responses up to this size are read to the end, because the connection can then be reused. */
const DRAINED_BYTES = 65_536;

/** Posts events to endpoints: one attempt each, no redirects, to public addresses only. */
export class Sender {
  private readonly agents: Readonly<Record<string, http.Agent>>;
  private readonly timeoutMs: number;
  private readonly allowInsecure: boolean;

  constructor({ allowInsecure, timeoutMs = TIMEOUT_MS, resolve = createResolver() }: SenderOptions) {
    this.timeoutMs = timeoutMs;
    this.allowInsecure = allowInsecure;
    this.agents = {
      'http:': new http.Agent(KEPT_ALIVE),
      'https:': allowInsecure ? new https.Agent(KEPT_ALIVE) : new GuardedAgent(resolve, KEPT_ALIVE),
    };
  }

  /**
   * Makes one attempt, within a time that begins before the name lookup. A status counts as soon as it arrives, even if the
   * body fails later. Never throws; a failure is part of the result.
   */
  async post(url: string, headers: Record<string, string>, body: string | Buffer): Promise<Answer> {
    // It may have been registered while insecure addresses were allowed.
    const fault = (this.allowInsecure ? insecureAddressFault : addressFault)(url)?.en;
    if (fault) return noAnswer(`Not sent: the address ${fault}.`);
    const start = performance.now();
    const outOfTime = new AbortController();
    const { signal } = outOfTime;
    const timer = setTimeout(() => outOfTime.abort(), this.timeoutMs);
    try {
      const answer = await this.request(url, headers, body, signal);
      const reponse = await startOf(answer);
      const retryAfter = answer.headers['retry-after'];
      return { statut: answer.statusCode!, reponse, retryAfter, timedOut: signal.aborted };
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

  /** Returns the final response; informational ones before it are ignored. */
  private request(
    url: string,
    headers: Record<string, string>,
    body: string | Buffer,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { protocol } = new URL(url);
      const { request } = protocol === 'https:' ? https : http;
      const call = request(url, { method: 'POST', headers, agent: this.agents[protocol]! });
      // An unasked change of the protocol ends without a response or an error.
      const closed = (): void => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
      call.on('response', resolve).on('error', reject).on('close', closed).end(body);
      // While it looks up the name and connects, the request does not react to its end.
      signal.addEventListener('abort', () => {
        call.destroy();
        reject(new Error('out of time'));
      });
    });
  }

  /** Closes the connections. Call it when no attempt is running. */
  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }
}

/** Returns the stored part of a response. Reads on to the end of a response that is not too long. Never throws. */
async function startOf(body: IncomingMessage): Promise<string> {
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
  ENOTFOUND: 'The name has no address.',
  ENODATA: 'The name has no address.',
  EHOSTUNREACH: 'The address cannot be reached.',
  ENETUNREACH: 'The address cannot be reached.',
};

function failure(error: unknown): Answer {
  const code = (error as { code?: string }).code ?? '';
  if (code === 'ABORT_ERR' || code === 'ETIMEDOUT')
    return { ...noAnswer('The address does not answer.'), timedOut: true };
  return noAnswer(REASONS[code] ?? `The connection failed (${code || 'unknown reason'}).`);
}
