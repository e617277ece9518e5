import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../../libs/platform/src/ops/clock';
import type { Received, Receiver } from './receiver';

/** Responses of a fickle endpoint: how often in 1,000 times, and the status in the log. */
const ACTS = {
  accept: { weight: 644, statut: 204 },
  slowBody: { weight: 60, statut: 200 },
  endlessBody: { weight: 2, statut: 200 },
  hugeBody: { weight: 20, statut: 200 },
  fail: { weight: 130, statut: 500 },
  hang: { weight: 2, statut: null },
  reset: { weight: 30, statut: null },
  garbage: { weight: 30, statut: null },
  seconds: { weight: 30, statut: 429 },
  date: { weight: 22, statut: 429 },
  redirect: { weight: 30, statut: 302 },
  gone: { weight: 0, statut: 410 },
} as const;

type ActName = keyof typeof ACTS;

/**
 * Responses to an event that an endpoint never accepts: without `Retry-After`, because it must end within four days.
 */
const POISONED: readonly ActName[] = ['fail', 'reset', 'garbage', 'redirect'];

/** Values of `Retry-After`: 0 s, sooner than the schedule, later, too late, and invalid. */
const ASKED = ['0', '2', '30', '3600', '100000', 'soon', '-5'];

/** Dates in `Retry-After`, in seconds from now. */
const ASKED_DATES = [-60, 90, 7_200, 300_000];

const HUGE = Buffer.alloc(400_000, 'é');

/** Response of an endpoint to one attempt. */
export interface Act {
  readonly statut: number | null;
  /** The `Retry-After` header of the response. */
  readonly retryAfter?: string | undefined;
  /** Time by the clock of the schedule, in ms. */
  readonly at: number;
}

/** Endpoints whose random responses follow from a seed, and which record them. The data of their events are `{n}`. */
export class Fickle {
  /** Responses by path, then by `webhook-id`. */
  readonly acts = new Map<string, Map<string, Act[]>>();
  /** Time of the first 410 of a path. */
  readonly goneAt = new Map<string, number>();

  constructor(
    private readonly receiver: Receiver,
    private readonly clock: Clock,
    private readonly seed: number,
    private readonly elsewhere: string,
  ) {}

  /** @param goneAfter requests after which the endpoint is gone */
  endpoint(path: string, goneAfter = Infinity): void {
    this.acts.set(path, new Map());
    let requests = 0;
    this.receiver.behaviours.set(path, (received, response, socket) => {
      requests += 1;
      void this.answer(received, response, socket, requests > goneAfter);
    });
  }

  private async answer(
    { path, headers, body }: Received,
    response: ServerResponse,
    socket: Socket,
    isGone: boolean,
  ): Promise<void> {
    const id = headers['webhook-id'] as string;
    const { n } = JSON.parse(body).data as { n: number };
    const byId = this.acts.get(path)!;
    const acts = byId.get(id) ?? [];
    byId.set(id, acts);
    const random = this.random(path, n, acts.length);
    const name = isGone ? 'gone' : choose(random, n % 100 === 7);
    const at = this.clock.now().getTime();
    const retryAfter = this.retryAfter(name, random, at);
    acts.push({ statut: ACTS[name].statut, retryAfter, at });
    if (isGone && !this.goneAt.has(path)) this.goneAt.set(path, at);
    await act(name, response, socket, retryAfter ? { 'retry-after': retryAfter } : {}, this.elsewhere);
  }

  /** Returns a number from 0 to 1, the same for the same attempt of the same event. */
  private random(path: string, n: number, attempt: number): number {
    const hash = createHash('sha256').update(`${this.seed} ${path} ${n} ${attempt}`).digest();
    return hash.readUInt32BE() / 2 ** 32;
  }

  private retryAfter(name: ActName, random: number, at: number): string | undefined {
    const place = Math.floor(random * 1e6);
    if (name === 'seconds') return ASKED[place % ASKED.length];
    if (name !== 'date') return undefined;
    return new Date(at + ASKED_DATES[place % ASKED_DATES.length]! * 1_000).toUTCString();
  }
}

function choose(random: number, isPoisoned: boolean): ActName {
  if (isPoisoned) return POISONED[Math.floor(random * POISONED.length)]!;
  let left = random * 1_000;
  for (const [name, { weight }] of Object.entries(ACTS)) {
    left -= weight;
    if (left < 0) return name as ActName;
  }
  return 'fail';
}

async function act(
  name: ActName,
  response: ServerResponse,
  socket: Socket,
  headers: Record<string, string>,
  elsewhere: string,
): Promise<void> {
  switch (name) {
    case 'hang':
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'garbage':
      socket.end('220 mail.example.org ESMTP\r\n\r\n');
      return;
    case 'redirect':
      response.writeHead(302, { location: `${elsewhere}/elsewhere` }).end();
      return;
    case 'slowBody':
      response.writeHead(200).write('slow');
      await wait(50);
      response.end('ly');
      return;
    case 'endlessBody':
      response.writeHead(200).write('and so on');
      return;
    case 'hugeBody':
      response.writeHead(200).end(HUGE);
      return;
    case 'accept':
    case 'fail':
    case 'seconds':
    case 'date':
    case 'gone':
      response.writeHead(ACTS[name].statut, headers).end();
  }
}
