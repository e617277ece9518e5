import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Passes bytes on to a service, and breaks off the answers that a test says. */
export class Relay {
  /** How many of the next answers break off before their first byte comes through. */
  breaks = 0;
  url = '';
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (caller) => this.join(caller));
  }

  static async to(target: string): Promise<Relay> {
    const server = createServer();
    const relay = new Relay(server, new URL(target));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    relay.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return relay;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(caller: Socket): void {
    const service = connect(Number(this.target.port), this.target.hostname);
    const end = (): void => void [caller, service].forEach((socket) => socket.destroy());
    for (const socket of [caller, service]) {
      this.sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        this.sockets.delete(socket);
        end();
      });
    }
    caller.pipe(service);
    // The first byte of an answer: the service has done what it was asked for.
    service.on('data', (bytes) => {
      if (this.breaks === 0) return void caller.write(bytes);
      this.breaks -= 1;
      end();
    });
  }
}
