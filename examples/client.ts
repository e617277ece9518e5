import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The body of every refusal (RFC 9457). */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code?: string;
  readonly errors?: readonly { pointer: string; code: string; detail: string }[];
}

/** The service refused a request. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    const faults = problem.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
    super(`${problem.status} ${problem.code ?? problem.title}: ${faults ?? problem.detail}`);
  }
}

/** The service does not run, its key is not known, or another service answers; the message says what to do. */
export class UnreachableError extends Error {}

export interface Answer<T> {
  readonly status: number;
  readonly headers: Response['headers'];
  /** undefined where the answer has no body, such as 304. */
  readonly body: T;
  readonly bytes: number;
  readonly milliseconds: number;
}

export interface ClientOptions {
  /** Address of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string;
  /** Told before each wait; the client waits as long as the service asks. */
  readonly onWait?: (seconds: number, status: number) => void;
}

type Headers = Readonly<Record<string, string>>;

const ATTEMPTS = 6;
const REPEATABLE = new Set([429, 503]);

/**
 * The service that `npm start` started and the key that it wrote down, unless the environment names others.
 *
 * @throws UnreachableError
 */
export function connectionOf(env: NodeJS.ProcessEnv): Pick<ClientOptions, 'baseUrl' | 'key'> {
  const baseUrl = (env.PUBLIC_URL || `http://localhost:${env.PORT || 3000}`).replace(/\/+$/, '');
  if (!URL.canParse(baseUrl))
    throw new UnreachableError(`PUBLIC_URL or PORT is wrong: ${baseUrl} is no address.`);
  if (env.MANDAT_KEY) return { baseUrl, key: env.MANDAT_KEY };
  const file = join(env.DATA_DIR || '.data', 'demonstration.json');
  try {
    const { partenaire } = JSON.parse(readFileSync(file, 'utf8')) as { partenaire?: string };
    if (partenaire) return { baseUrl, key: partenaire };
  } catch {
    // No such file, or not the service's: the same advice serves.
  }
  throw new UnreachableError(
    `No partner key in ${file}: run \`npm start\` in another terminal first, or set MANDAT_KEY.`,
  );
}

/** The key of the platform that `npm start` wrote down, unless the environment names another; undefined without one. */
export function platformKeyOf(env: NodeJS.ProcessEnv): string | undefined {
  // A partner's key from the environment is of another data space than the one that was written down.
  if (env.MANDAT_PLATFORM_KEY || env.MANDAT_KEY) return env.MANDAT_PLATFORM_KEY;
  try {
    const file = readFileSync(join(env.DATA_DIR || '.data', 'demonstration.json'), 'utf8');
    return (JSON.parse(file) as { plateforme?: string }).plateforme;
  } catch {
    return undefined;
  }
}

/** All that a partner needs to call the API: a key, JSON, problem details, and patience. */
export class Client {
  /** Requests sent so far, repetitions included. */
  requests = 0;

  constructor(private readonly options: ClientOptions) {}

  get<T>(path: string, headers: Headers = {}): Promise<Answer<T>> {
    return this.send('GET', path, headers);
  }

  post<T>(path: string, body: unknown, headers: Headers = {}): Promise<Answer<T>> {
    return this.send('POST', path, { 'Content-Type': 'application/json', ...headers }, JSON.stringify(body));
  }

  put<T>(path: string, body: unknown, headers: Headers = {}): Promise<Answer<T>> {
    return this.send('PUT', path, { 'Content-Type': 'application/json', ...headers }, JSON.stringify(body));
  }

  delete<T>(path: string, headers: Headers = {}): Promise<Answer<T>> {
    return this.send('DELETE', path, headers);
  }

  /**
   * The address in `Link: <…>; rel="next"` as a path for `get`, or undefined on the last page. Only a path, so that
   * the key never goes to another host than the one it is for.
   */
  next({ headers }: Answer<unknown>): string | undefined {
    const url = /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
    return url ? this.pathOf(url) : undefined;
  }

  /** The address in `Location` as a path for `get`, under the same rule; undefined without one. */
  location({ headers }: Answer<unknown>): string | undefined {
    const url = headers.get('location');
    return url ? this.pathOf(url) : undefined;
  }

  private pathOf(url: string): string {
    const { baseUrl } = this.options;
    if (url.startsWith(`${baseUrl}/`)) return url.slice(baseUrl.length);
    const { pathname, search } = new URL(url, baseUrl);
    return pathname + search;
  }

  /**
   * Sends a request, and again after 429 and 503, for then the service has done nothing.
   *
   * @throws ProblemError, UnreachableError
   */
  private async send<T>(method: string, path: string, headers: Headers, body?: string): Promise<Answer<T>> {
    for (let attempt = 1; ; attempt++) {
      const started = performance.now();
      const { response, bytes } = await this.exchange(method, path, headers, body);
      const milliseconds = performance.now() - started;
      const text = new TextDecoder().decode(bytes);
      const { status } = response;
      if (status < 400) {
        const parsed = (text ? this.parse(text) : undefined) as T;
        return { status, headers: response.headers, body: parsed, bytes: bytes.length, milliseconds };
      }
      if (status === 401) {
        const advice = 'set DATA_DIR and PORT as for `npm start`, or MANDAT_KEY';
        throw new UnreachableError(`${this.options.baseUrl} does not know the key: ${advice}.`);
      }
      if (!REPEATABLE.has(status) || attempt === ATTEMPTS)
        throw new ProblemError(this.parse(text) as Problem);
      const seconds = secondsToWait(response.headers.get('retry-after'));
      this.options.onWait?.(seconds, status);
      await sleep(seconds * 1000);
    }
  }

  private async exchange(
    method: string,
    path: string,
    headers: Headers,
    body: string | undefined,
  ): Promise<{ response: Response; bytes: Uint8Array }> {
    const { baseUrl, key } = this.options;
    this.requests++;
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { Accept: 'application/json', 'X-Api-Key': key, ...headers },
        ...(body === undefined ? {} : { body }),
      });
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
    } catch (error) {
      const { code, message } = ((error as Error).cause ?? error) as { code?: string; message: string };
      const advice = 'run `npm start` in another terminal, or set PUBLIC_URL';
      throw new UnreachableError(`${baseUrl} does not answer (${code ?? message}): ${advice}.`, {
        cause: error,
      });
    }
  }

  private parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      const advice = 'set PORT or PUBLIC_URL as for `npm start`';
      throw new UnreachableError(`What answers at ${this.options.baseUrl} is not Mandat: ${advice}.`, {
        cause: error,
      });
    }
  }
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3). */
export function secondsToWait(retryAfter: string | null, now = Date.now()): number {
  if (!retryAfter) return 1;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? 1 : Math.max(0, Math.ceil((date - now) / 1000));
}
