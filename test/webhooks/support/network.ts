import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIP, type Server, Socket } from 'node:net';

/** Records every TCP connection that this process begins, with or without TLS, from the calls of Node to the system. */
export class Witness {
  private readonly requests: { address?: string; port?: number }[] = [];
  private readonly hook = createHook({
    init: (_id, type, _trigger, resource) => {
      // Node sets the address right after this call.
      if (type === 'TCPCONNECTWRAP') this.requests.push(resource);
    },
  });

  constructor() {
    this.hook.enable();
  }

  get connections(): string[] {
    return this.requests.map(({ address, port }) => `${address} ${port}`);
  }

  forget(): void {
    this.requests.length = 0;
  }

  end(): void {
    this.hook.disable();
  }
}

/** Listens, counts connections, and closes them. */
export class Canary {
  connections = 0;

  private constructor(
    private readonly servers: Server[],
    readonly port: number,
  ) {
    for (const server of servers)
      server.on('connection', (socket) => {
        this.connections += 1;
        socket.on('error', () => undefined).destroy();
      });
  }

  /** @param hosts addresses to listen on, all with the same port */
  static async start(...hosts: string[]): Promise<Canary> {
    for (;;) {
      const servers: Server[] = [];
      let port = 0;
      try {
        for (const host of hosts) {
          const server = createServer().listen(port, host);
          await once(server, 'listening');
          servers.push(server);
          port = (server.address() as AddressInfo).port;
        }
        return new Canary(servers, port);
      } catch (error) {
        for (const server of servers) server.close();
        // The port is free at one address and taken at another.
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      }
    }
  }

  stop(): void {
    for (const server of this.servers) server.close();
  }
}

/** Returns the local port to which a connection to port 443 goes instead. */
export type Route = (host: string) => number;

/**
 * Replaces the network at port 443: connections to any address or name go to a port of this machine, and report the
 * intended remote address. Connections to other ports are unchanged.
 *
 * @returns a function that restores the network
 */
export function layNetwork(route: Route): () => void {
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function reroute(this: Socket, ...args: unknown[]): Socket {
    // `net.connect` passes a list of its arguments, `tls.connect` passes the options themselves.
    const options = (Array.isArray(args[0]) ? (args[0] as unknown[])[0] : args[0]) as {
      host?: string;
      port?: number | string;
      lookup?: unknown;
    };
    if (Number(options.port) === 443) {
      const host = options.host!;
      Object.assign(options, { host: '127.0.0.1', port: route(host) });
      if (isIP(host)) Object.defineProperty(this, 'remoteAddress', { get: () => host });
    }
    return connect.apply(this, args as Parameters<typeof connect>);
  };
  return () => {
    Socket.prototype.connect = connect;
  };
}
