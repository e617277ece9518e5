import { Agent, type Dispatcher, request } from 'undici';
import {
  AddressRefused,
  addressFault,
  createResolver,
  guardedConnector,
  insecureAddressFault,
  type Resolve,
} from './address-guard';

/** What became of one attempt. */
export interface Answer {
  /** HTTP status; null where there was no answer in time. */
  readonly statut: number | null;
  /** The first kilobyte of the answer, or what went wrong. */
  readonly reponse: string;
  readonly retryAfter?: string | undefined;
  /** It was not over within the time: the receiver hangs or is out of reach. */
  readonly timedOut: boolean;
}

export interface SenderOptions {
  /** Anywhere, over http too: for development. */
  readonly allowInsecure: boolean;
  /** For one attempt, from the look-up of the name to the last byte of the answer. */
  readonly timeoutMs?: number;
  /** Name servers, if not the system's. */
  readonly resolve?: Resolve;
}

const TIMEOUT_MS = 15_000;

/** How much of an answer is kept. */
const KEPT_BYTES = 1_024;

/** An answer up to this size is read to its end, so that its connection serves again. */
const DRAINED_BYTES = 65_536;

/** Posts events to endpoints: one attempt each, no redirects, to public addresses only. */
export class Sender {
  private readonly agent: Agent;
  private readonly timeoutMs: number;
  readonly fault: (url: string) => string | undefined;

  constructor({ allowInsecure, timeoutMs = TIMEOUT_MS, resolve = createResolver() }: SenderOptions) {
    this.timeoutMs = timeoutMs;
    this.fault = allowInsecure ? insecureAddressFault : addressFault;
    // No limit of connections to a host: endpoints of several clients may share one, and one of them may hang.
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

  /** One attempt. Never throws: what goes wrong is the answer. */
  async post(url: string, headers: Record<string, string>, body: string): Promise<Answer> {
    // It may have been registered while anything was allowed.
    const fault = this.fault(url);
    if (fault) return noAnswer(`Not sent: the address ${fault}.`);
    const time = new AttemptTime(this.timeoutMs);
    try {
      const { signal } = time;
      const response = await time.limit(
        request(url, { dispatcher: this.agent, method: 'POST', headers, body, signal }),
      );
      const reponse = await beginning(response.body);
      return {
        statut: response.statusCode,
        reponse,
        retryAfter: single(response.headers['retry-after']),
        timedOut: time.signal.aborted,
      };
    } catch (error) {
      if (time.signal.aborted)
        return { ...noAnswer(`No answer within ${this.timeoutMs / 1_000} s.`), timedOut: true };
      return failure(error);
    } finally {
      time.end();
    }
  }

  /** Closes the connections; for when no attempt is at work. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** The time of one attempt. */
class AttemptTime {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private over: (reason: Error) => void = () => undefined;

  constructor(ms: number) {
    this.timer = setTimeout(() => {
      this.controller.abort();
      this.over(new Error('out of time'));
    }, ms);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Waits for `work` no longer than the time: the client heeds the signal only once it is connected. */
  limit<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.over = reject;
      work.then(resolve, reject);
    });
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

/** The first kilobyte of an answer as text. What is slow or breaks off after it answers with its status anyway. */
async function beginning(body: Dispatcher.ResponseData['body']): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (bytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - bytes));
      bytes += chunk.length;
      if (bytes > DRAINED_BYTES) break;
    }
  } catch {
    // The status has come: that is what counts.
  }
  // A character that is cut in two is left out; U+0000 cannot be stored.
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true }).replaceAll('\0', '');
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
