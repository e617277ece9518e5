import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * One address for several backends. Each request goes to the next backend, whatever its connection: callers change
 * their backend as often as possible.
 */
export class Balancer {
  /** Requests of each backend, in the order of the backends. */
  readonly sent: number[];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 128 });
  private readonly server = createServer((request, response) => this.pass(request, response));
  private next = 0;
  url = '';

  private constructor(private readonly backends: readonly string[]) {
    this.sent = backends.map(() => 0);
  }

  static async before(backends: readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(backends);
    await new Promise<void>((resolve) => balancer.server.listen(0, '127.0.0.1', resolve));
    balancer.url = `http://127.0.0.1:${(balancer.server.address() as AddressInfo).port}`;
    return balancer;
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const chosen = this.next++ % this.backends.length;
    this.sent[chosen]! += 1;
    const { method, headers, url } = request;
    const onward = send(this.backends[chosen]! + url!, { method, headers, agent: this.agent }, (answer) => {
      response.writeHead(answer.statusCode!, { ...answer.headers, 'x-backend': String(chosen) });
      pipeline(answer, response, () => undefined);
    });
    onward.on('error', () => response.destroy());
    pipeline(request, onward, () => undefined);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.agent.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
