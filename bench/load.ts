import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * The load generator of all contestants: HTTP/1.1 over kept connections to 127.0.0.1, one request at a time on each.
 */

/** Timeout of one response. A peer takes most of a minute for ten thousand records. */
const SLOWEST_ANSWER_MS = 300_000;
const HEAD_END = '\r\n\r\n';
/** The last chunk of a chunked response. JSON contains no other carriage return. */
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Returns the bytes of a request, made before the measurement. */
export function bytesOf({ method, path, headers, body }: Request): Buffer {
  const lines = Object.entries({
    Host: '127.0.0.1',
    ...headers,
    ...(body ? { 'Content-Type': 'application/json', 'Content-Length': String(body.length) } : {}),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return body ? Buffer.concat([head, body]) : head;
}

interface Pending {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A kept connection. It only detects the end of a response, because the load generator must cost little. */
export class Connection {
  private pending: Pending | undefined;
  private head = '';
  /** Remaining bytes of the body; Infinity for a chunked response, which ends with its last chunk. */
  private missing = 0;
  private tail = Buffer.alloc(0);

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setTimeout(SLOWEST_ANSWER_MS, () => socket.destroy(new Error('No answer within five minutes.')));
    socket.on('data', (data: Buffer) => this.read(data));
    socket.on('error', (error) => this.pending?.reject(error));
    socket.on('close', () =>
      this.pending?.reject(new Error('The connection closed before the answer ended.')),
    );
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Sends a request and resolves when its response is complete. @throws Error unless the status is 200 or 201 */
  send(request: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject };
      this.head = '';
      this.socket.write(request);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private read(data: Buffer): void {
    if (!this.head.includes(HEAD_END)) {
      this.head += data.toString('latin1');
      const end = this.head.indexOf(HEAD_END);
      if (end < 0) return;
      const body = this.head.length - end - HEAD_END.length;
      this.head = this.head.slice(0, end + HEAD_END.length);
      if (!/^HTTP\/1\.1 20[01] /.test(this.head)) {
        this.fail(`Answered ${this.head.split('\r\n', 1)[0]}`);
        return;
      }
      const length = /^content-length: (\d+)/im.exec(this.head)?.[1];
      this.missing = length === undefined ? Infinity : Number(length);
      this.tail = Buffer.alloc(0);
      data = data.subarray(data.length - body);
    }
    this.missing -= data.length;
    if (this.missing === Infinity) {
      this.tail = Buffer.concat([this.tail, data.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
      if (!this.tail.equals(LAST_CHUNK)) return;
    } else if (this.missing > 0) {
      return;
    }
    this.pending?.resolve();
    this.pending = undefined;
  }

  private fail(message: string): void {
    this.pending?.reject(new Error(message));
    this.pending = undefined;
    this.socket.destroy();
  }
}

export interface Answered {
  readonly perSecond: number;
  /** The duration of each request in milliseconds, shortest first. */
  readonly latencies: Float64Array;
}

/** Sends `count` requests, one after the other from the list, over `connections` at once. */
export async function underLoad(
  port: number,
  requests: readonly Buffer[],
  count: number,
  connections: number,
): Promise<Answered> {
  const latencies = new Float64Array(count);
  const pool = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  try {
    let sent = 0;
    const start = performance.now();
    await Promise.all(
      pool.map(async (connection) => {
        while (sent < count) {
          const index = sent++;
          const begun = performance.now();
          await connection.send(requests[index % requests.length]!);
          latencies[index] = performance.now() - begun;
        }
      }),
    );
    return { perSecond: (count / (performance.now() - start)) * 1000, latencies: latencies.sort() };
  } finally {
    for (const connection of pool) connection.close();
  }
}

/** Sends the same and returns the requests a second. */
export async function requestsPerSecond(...load: Parameters<typeof underLoad>): Promise<number> {
  return (await underLoad(...load)).perSecond;
}

/** Returns the milliseconds until one response, without connecting. */
export async function millisecondsOf(port: number, request: Buffer): Promise<number> {
  const connection = await Connection.open(port);
  try {
    const start = performance.now();
    await connection.send(request);
    return performance.now() - start;
  } finally {
    connection.close();
  }
}

/**
 * Sends the request every `everyMs` while `work` runs, also if earlier ones have no response yet: a pause of one second
 * then delays a hundred requests, not one.
 *
 * @returns the duration of each request in milliseconds, shortest first
 */
export async function latenciesDuring(
  port: number,
  request: Buffer,
  everyMs: number,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const idle: Connection[] = [await Connection.open(port)];
  const opened = [...idle];
  const latencies: number[] = [];
  const running: Promise<void>[] = [];
  const one = async (): Promise<void> => {
    const start = performance.now();
    let connection = idle.pop();
    if (!connection) opened.push((connection = await Connection.open(port)));
    await connection.send(request);
    latencies.push(performance.now() - start);
    idle.push(connection);
  };
  const timer = setInterval(() => running.push(one()), everyMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
    await Promise.allSettled(running);
    for (const connection of opened) connection.close();
  }
  await Promise.all(running);
  return latencies.sort((a, b) => a - b);
}
