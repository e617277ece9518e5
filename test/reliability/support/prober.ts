import { Agent, request } from 'undici';
import type { Mortal } from '../../http/mortal';

const EVERY_MS = 100;

interface Probe {
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly status: number;
}

/** Sends liveness and readiness probes every 100 ms; an orchestrator does so less often. */
export class Prober {
  private readonly agent = new Agent({ connections: 256 });
  private readonly probes: Record<'live' | 'ready', Probe[]> = { live: [], ready: [] };
  private readonly running = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly processes: readonly Mortal[]) {}

  async begin(): Promise<void> {
    const urls = await Promise.all(this.processes.map((one) => one.url()));
    this.timer = setInterval(() => {
      for (const url of urls) for (const kind of ['live', 'ready'] as const) this.ask(url, kind);
    }, EVERY_MS);
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.running);
    await this.agent.close();
  }

  /** Liveness probes that did not return 200. */
  get livenessFailures(): number {
    return this.probes.live.filter((one) => one.status !== 200).length;
  }

  get slowestLiveMs(): number {
    return Math.round(Math.max(0, ...this.probes.live.map((one) => one.answeredAt - one.sentAt)));
  }

  get count(): number {
    return this.probes.live.length + this.probes.ready.length;
  }

  /** Milliseconds from a moment until a process was not ready; undefined if all were ready. */
  notReadyAfter(since: number): number | undefined {
    const refused = this.probes.ready.filter((one) => one.answeredAt > since && one.status !== 200);
    return refused.length === 0
      ? undefined
      : Math.round(Math.min(...refused.map((one) => one.answeredAt)) - since);
  }

  /** Milliseconds from a moment until all processes were ready and stayed so; 0 if they always were. */
  readyAfter(since: number): number {
    const refused = this.probes.ready.filter((one) => one.answeredAt > since && one.status !== 200);
    if (refused.length === 0) return 0;
    const last = Math.max(...refused.map((one) => one.sentAt));
    const good = this.probes.ready.filter((one) => one.sentAt > last && one.status === 200);
    return good.length === 0 ? Infinity : Math.round(Math.min(...good.map((one) => one.answeredAt)) - since);
  }

  private ask(url: string, kind: 'live' | 'ready'): void {
    const sentAt = performance.now();
    const asked = request(`${url}/health/${kind}`, { dispatcher: this.agent })
      .then(async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      })
      .catch(() => 0)
      .then((status) => {
        this.probes[kind].push({ sentAt, answeredAt: performance.now(), status });
        this.running.delete(asked);
      });
    this.running.add(asked);
  }
}
