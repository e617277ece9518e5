import { Agent, type IncomingHttpHeaders, request as open } from 'node:http';
import { connect } from 'node:net';

/** A request in the form in which it is sent: nothing is normalised, unlike with fetch. */
export interface WireRequest {
  method: string;
  /** The request target, one character a byte. */
  target: string;
  /** Values one character a byte; a list goes as several lines. */
  headers?: Record<string, string | string[]>;
  body?: Buffer;
  /** Sends the body in chunks, without its length. */
  chunked?: boolean;
}

export interface WireAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Longer than any response takes; a server without a response by then hangs. */
const PATIENCE_MS = 20_000;

/** A client with keep-alive connections to one server. */
export class Wire {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  private readonly address: { host: string; port: number };

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.address = { host: hostname, port: Number(port) };
  }

  /** @throws Error when the connection ends or stays silent without an answer */
  send({ method, target, headers = {}, body, chunked }: WireRequest): Promise<WireAnswer> {
    const framing =
      body && (chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': body.length });
    return new Promise((resolve, reject) => {
      const sent = open({
        ...this.address,
        agent: this.agent,
        method,
        path: target,
        headers: { ...headers, ...framing },
        timeout: PATIENCE_MS,
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
      sent.on('error', reject);
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      sent.end(body);
    });
  }

  /**
   * Sends bytes as they are on a connection of their own and reads the first answer to them.
   *
   * @param end closes the sending half once the bytes are out
   * @throws Error when the connection ends or stays silent without an answer
   */
  raw(bytes: string | Buffer, { end = false } = {}): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0);
      const socket = connect({ ...this.address, allowHalfOpen: true });
      socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const answer = parseAnswer(received);
        if (!answer) return;
        resolve(answer);
        socket.destroy();
      });
      socket.on('error', reject);
      socket.on('end', () => {
        reject(new Error(`the connection ended with ${JSON.stringify(received.toString('latin1'))}`));
        socket.destroy();
      });
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Returns the first complete response in the received data, if any; without a length it has no body. */
function parseAnswer(received: Buffer): WireAnswer | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = received.subarray(headEnd + 4);
  const length = Number(headers['content-length'] ?? 0);
  if (body.length < length) return undefined;
  return { status: Number(statusLine.split(' ')[1]), headers, text: body.subarray(0, length).toString() };
}
