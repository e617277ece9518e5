import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const PROBE_EVERY_MS = 100;

/**
 * One address for replicas, like a Service of Kubernetes: each new connection goes to the next ready replica and stays
 * there until one side ends it.
 */
export class FrontDoor {
  private readonly server: Server = createServer((near) => this.lead(near));
  private readonly sockets = new Set<Socket>();
  private ready: string[] = [];
  private turn = 0;
  private isOpen = true;
  private probing: Promise<void>;

  private constructor(private readonly replicas: readonly (() => Promise<string>)[]) {}

  /** @param replicas their current addresses; connections do not wait for an absent replica */
  static async open(replicas: readonly (() => Promise<string>)[]): Promise<FrontDoor> {
    const door = new FrontDoor(replicas);
    await door.probe();
    door.probing = (async () => {
      while (door.isOpen) {
        await sleep(PROBE_EVERY_MS);
        await door.probe();
      }
    })();
    door.server.listen(0, '127.0.0.1');
    await once(door.server, 'listening');
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.isOpen = false;
    await this.probing;
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async probe(): Promise<void> {
    const found = await Promise.all(
      this.replicas.map(async (replica) => {
        const url = await Promise.race([replica(), sleep(PROBE_EVERY_MS, undefined)]);
        if (!url) return undefined;
        const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).catch(
          () => undefined,
        );
        await answer?.body?.cancel();
        return answer?.ok ? url : undefined;
      }),
    );
    this.ready = found.filter((url) => url !== undefined);
  }

  private lead(near: Socket): void {
    const url = this.ready[this.turn++ % this.ready.length];
    if (!url) {
      near.destroy();
      return;
    }
    const { hostname, port } = new URL(url);
    const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => other.resetAndDestroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.end();
      });
    }
    near.pipe(far).pipe(near);
  }
}
