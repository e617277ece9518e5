import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection through the proxy. */
interface Link {
  readonly near: Socket;
  readonly far: Socket;
  /** Whether all data of both sides is discarded, permanently. */
  isDeaf: boolean;
}

/** A proxy between the service and the database that fails like a network. */
export class Wire {
  private readonly links = new Set<Link>();
  private server: Server | undefined;
  private clogged = false;
  /** Whether the connection breaks after a COMMIT has passed, before its response. */
  losesCommits = false;
  /** Delay of bytes in each direction, in ms. */
  delayMs = 0;
  /** Whether new connections are accepted and all their data is discarded permanently. */
  swallowsNew = false;
  private port = 0;

  private constructor(private target: URL) {}

  static async lay(databaseUrl: string): Promise<{ wire: Wire; url: string }> {
    const wire = new Wire(new URL(databaseUrl));
    await wire.mend();
    const url = new URL(databaseUrl);
    url.port = String(wire.port);
    return { wire, url: url.href };
  }

  /** Accepts connections; after `cut`, at the same address again. */
  async mend(): Promise<void> {
    this.server = createServer((near) => this.join(near)).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Closes all connections and rejects new ones. */
  async cut(): Promise<void> {
    const closed = once(this.server!, 'close');
    this.server!.close();
    this.reset();
    await closed;
  }

  /**
   * Closes all connections; new ones are accepted at once.
   *
   * @returns the number of closed connections
   */
  reset(): number {
    const broken = this.links.size;
    for (const { near, far } of this.links) for (const end of [near, far]) end.resetAndDestroy();
    this.links.clear();
    return broken;
  }

  /** New connections go to another server; current ones stay, unless `reset` closes them. */
  leadTo(databaseUrl: string): void {
    this.target = new URL(databaseUrl);
  }

  /** Holds all bytes back, also of new connections, until they are released: no byte is lost. */
  clog(clogged: boolean): void {
    this.clogged = clogged;
    for (const { near, far } of this.links)
      for (const end of [near, far])
        if (clogged) end.pause();
        else end.resume();
  }

  /**
   * All current connections stay open and lose all data.
   *
   * @returns their number
   */
  deafen(): number {
    for (const link of this.links) link.isDeaf = true;
    return this.links.size;
  }

  private join(near: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname);
    const link: Link = { near, far, isDeaf: this.swallowsNew };
    this.links.add(link);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on('error', () => undefined);
      // The server detects the end at once, as it would with its own probes a little later.
      from.on('close', () => {
        this.links.delete(link);
        this.later(() => to.destroy());
      });
      from.on('data', (data: Buffer) => {
        if (link.isDeaf) return;
        this.later(() => !to.destroyed && to.write(data));
        if (from === near && this.losesCommits && data.includes('COMMIT')) {
          link.isDeaf = true;
          setTimeout(() => near.resetAndDestroy(), 200);
        }
      });
      if (this.clogged) from.pause();
    }
  }

  private later(work: () => void): void {
    if (this.delayMs > 0) setTimeout(work, this.delayMs);
    else work();
  }
}
