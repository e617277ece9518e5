import pLimit, { type LimitFunction } from 'p-limit';

/** How long the line of one key may be, and what who does not get a turn is told. */
export interface Line {
  readonly longest?: number;
  readonly waitMs: number;
  readonly refusal: () => Error;
}

/** Runs the work of each key a few at a time, in the order in which it was asked for; keys never wait for each other. */
export class KeyedLimit {
  private readonly limits = new Map<string, { readonly limit: LimitFunction; users: number }>();

  /** @param line absent where work may wait for any time */
  constructor(
    private readonly atOnce: number,
    private readonly line?: Line,
  ) {}

  /** @throws the line's refusal where the turn does not come */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const own = this.limits.get(key) ?? { limit: pLimit(this.atOnce), users: 0 };
    const { line } = this;
    if (own.users >= this.atOnce + (line?.longest ?? Infinity)) throw line!.refusal();
    this.limits.set(key, own);
    own.users++;
    try {
      const mustWait = own.users > this.atOnce;
      return await (line && mustWait ? inTime(own.limit, line, work) : own.limit(work));
    } finally {
      if (--own.users === 0) this.limits.delete(key);
    }
  }
}

/** Runs `work` when it is its turn, unless that comes too late. */
function inTime<T>(limit: LimitFunction, { waitMs, refusal }: Line, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(refusal());
    }, waitMs);
    limit(async () => {
      clearTimeout(timer);
      if (!isLate) resolve(await work());
    }).catch(reject);
  });
}
