import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<RequestTimes>();

/** Times of one request for its `Server-Timing` (W3C), by `performance.now()`. Work of the request finds it as `current`. */
export class RequestTimes {
  private accessBegunAt: number | undefined;
  private accessEndedAt: number | undefined;
  private databaseMs = 0;
  /** How far the clock of the request's data space is ahead, in ms (docs/adr/0058). */
  aheadMs = 0;
  /** Uses of the database that have not ended, and when the first of them began. */
  private uses = 0;
  private usedSince = 0;

  constructor(private readonly begunAt = performance.now()) {}

  /** Times of the current request; undefined outside requests. */
  static get current(): RequestTimes | undefined {
    return current.getStore();
  }

  run(work: () => void): void {
    current.run(this, work);
  }

  /** The check of key, rate limit and rights begins. */
  accessBegins(): void {
    this.accessBegunAt = performance.now();
  }

  accessEnds(): void {
    this.accessEndedAt = performance.now();
  }

  /** A use of a connection begins. Time of several uses at once counts once. */
  databaseBegins(at: number): void {
    if (this.uses++ === 0) this.usedSince = at;
  }

  databaseEnds(at: number): void {
    if (--this.uses === 0) this.databaseMs += at - this.usedSince;
  }

  /** The value of `Server-Timing`: times until now in ms. They end here for a check or a use that has not ended. */
  get header(): string {
    const now = performance.now();
    const access = this.accessBegunAt === undefined ? 0 : (this.accessEndedAt ?? now) - this.accessBegunAt;
    const database = this.databaseMs + (this.uses > 0 ? now - this.usedSince : 0);
    return `auth;dur=${tenths(access)}, db;dur=${tenths(database)}, total;dur=${tenths(now - this.begunAt)}`;
  }
}

/** The time by the clock of the data space whose request this is; the real time elsewhere. */
export function requestNow(): Date {
  return new Date(Date.now() + (RequestTimes.current?.aheadMs ?? 0));
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
