import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A complete request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

/** Responds to a recorded request; the default is a 204. */
export type Behaviour = (received: Received, response: ServerResponse, socket: Socket) => void;

/** An HTTP server that records its requests and behaves, by path, as a test wants. */
export class Receiver {
  readonly received: Received[] = [];
  readonly behaviours = new Map<string, Behaviour>();
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((request, response) => void this.answer(request, response));
  /** Number of connections, with or without a request. */
  connections = 0;
  url = '';

  static async start(host = '127.0.0.1', port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    const { server, sockets } = receiver;
    server.on('connection', (socket) => {
      receiver.connections += 1;
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    receiver.url = `http://${host}:${(server.address() as AddressInfo).port}`;
    return receiver;
  }

  /** Returns the requests to one path, in the order of arrival. */
  of(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      return;
    }
    const path = request.url!;
    const body = Buffer.concat(chunks).toString();
    const received = { path, headers: request.headers, body, at: Date.now() };
    this.received.push(received);
    const behave = this.behaviours.get(path);
    if (behave) behave(received, response, request.socket);
    else response.writeHead(204).end();
  }
}

/**
 * Waits until a condition holds.
 *
 * @throws with its description after the timeout
 */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`Not so after ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
